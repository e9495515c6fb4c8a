#include "bench/run/history.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/scratch.h"
#include "bench/formats/subprocess.h"
#include "bench/plan/declare.h"

const char *const history_caution =
    "This proves no order: a commit's date can be set, a history rewritten, and runs made elsewhere before.";

/* Return true if a file with this text has `what`. */
typedef bool Holds(const void *what, const char *file, const char *text);

typedef struct {
    char folder[PATH_MAX], name[PATH_MAX]; /* the file's folder and name */
    Scratch aside;                         /* folder for git's output */
} Place;

/* Run git in the file's folder and return its output, which the caller frees; NULL: it failed. */
static char *git(const Place *p, const char *const *words, size_t *length) {
    enum { MOST = 12 };
    const char *argv[MOST + 4] = {"git", "-C", p->folder};
    char path[700], *bytes = NULL;
    bool absent;
    Error none;
    for (int i = 0; i < MOST && words[i]; i++) argv[3 + i] = words[i];
    snprintf(path, sizeof path, "%s/output.txt", p->aside.path);
    if (subprocess_run(argv, p->aside.path, &absent, &none) || file_read(path, &bytes, length, &none)) return NULL;
    return bytes;
}

static bool holds_at(const Place *p, const char *commit, const char *file, Holds *holds, const void *what) {
    char blob[PATH_MAX + 80];
    size_t length;
    snprintf(blob, sizeof blob, "%s:./%s", commit, p->name);
    OWNED char *text = git(p, (const char *const[]){"show", blob, NULL}, &length);
    return text && strlen(text) == length && holds(what, file, text);
}

/* Parse a line of the log, "HASH SECONDS"; other lines are git's warnings. */
static bool read_commit(const char *line, Written *w) {
    char date[24];
    size_t n = strspn(line, "0123456789abcdef");
    if ((n != 40 && n != 64) || line[n] != ' ') return false;
    snprintf(w->commit, sizeof w->commit, "%.*s", (int)n, line);
    snprintf(date, sizeof date, "%.*s", (int)strcspn(line + n + 1, "\n"), line + n + 1);
    return parse_integer(date, &w->date);
}

static void search(const Place *p, const char *file, Holds *holds, const void *what, Written *w) {
    const char *const log[] = {"-c", "log.showSignature=false", "log", "--reverse", "--format=%H %ct", "--", p->name,
                               NULL};
    size_t length;
    char *lines = git(p, log, &length);
    bool found = false;
    for (char *at = lines; at && *at && !found; at += strcspn(at, "\n"), at += *at == '\n') {
        if (!read_commit(at, w)) continue;
        w->git = true;
        found = holds_at(p, w->commit, file, holds, what);
    }
    if (!found) w->commit[0] = 0, w->date = 0;
    free(lines);
    snprintf(w->file, sizeof w->file, "%.127s", p->name);
    lines = w->git ? NULL : git(p, (const char *const[]){"rev-parse", "--is-inside-work-tree", NULL}, &length);
    w->tree = lines && !strncmp(lines, "true", 4);
    free(lines);
}

static void look(const char *file, Holds *holds, const void *what, Written *w) {
    Place p;
    Error none;
    char path[PATH_MAX];
    if (!realpath(file, path)) return;
    char *slash = strrchr(path, '/');
    snprintf(p.name, sizeof p.name, "%s", slash + 1);
    *slash = 0;
    snprintf(p.folder, sizeof p.folder, "%s", path[0] ? path : "/");
    if (scratch_make(&p.aside, &none)) return;
    search(&p, file, holds, what, w);
    scratch_remove(&p.aside);
}

typedef struct {
    const char *profile, *plan;
} PlanSought;

static bool holds_plan(const void *what, const char *file, const char *text) {
    const PlanSought *sought = what;
    OWNED Experiment *x = mem_alloc(1, sizeof *x);
    Error none;
    bool same = false;
    if (!experiment_parse(x, file, text, sought->profile, NULL, &none)) {
        same = !strcmp(x->plan, sought->plan);
        experiment_release(x);
    }
    return same;
}

Written history_plan(const char *file, const char *profile, const char *plan) {
    Written w = {0};
    snprintf(w.what, sizeof w.what, "plan %.8s", plan);
    look(file, holds_plan, &(PlanSought){profile, plan}, &w);
    return w;
}

typedef struct {
    const char *id, *line;
} ClaimSought;

static bool holds_claim(const void *what, const char *file, const char *text) {
    const ClaimSought *sought = what;
    LOCAL(claims_release) ClaimFile f = {0};
    LOCAL_TEXT(line);
    Error none;
    bool same = false;
    if (claims_parse(&f, file, text, &none)) return false;
    for (int i = 0; i < f.claims && !same; i++) {
        if (strcmp(f.claim[i].id, sought->id)) continue;
        declare_claim(&f.claim[i], &line);
        same = !strcmp(line.at, sought->line);
    }
    return same;
}

Written history_claim(const char *file, const Claim *c) {
    Written w = {0};
    LOCAL_TEXT(line);
    snprintf(w.what, sizeof w.what, "claim %.50s", c->id);
    declare_claim(c, &line);
    look(file, holds_claim, &(ClaimSought){c->id, line.at}, &w);
    return w;
}

void history_text(const Written *w, int64_t first, Text *out) {
    char date[TIME_SIZE];
    text_format(out, "%s: ", w->what);
    if (!w->git && w->tree)
        text_format(out, "the date is not known, as %s is in no commit", w->file);
    else if (!w->git)
        text_format(out, "the date is not known, as there is no git history here");
    else if (!w->commit[0])
        text_format(out, "in no commit: made on the command line, or not committed as it is now");
    else {
        text_format(out, "first in commit %.12s of %s", w->commit, format_time(date, w->date));
        if (first) text_format(out, ", %s the first run ended", w->date < first ? "before" : "after");
    }
}

json_t *history_json(const Written *w) {
    char date[TIME_SIZE];
    json_t *o = json_object();
    json_object_set_new(o, "what", json_string(w->what));
    if (!w->commit[0]) return o;
    json_object_set_new(o, "commit", json_string(w->commit));
    json_object_set_new(o, "date", json_string(format_time(date, w->date)));
    return o;
}
