/* The plans that `run` and `table` left in results/out: the user's own experiments, and those of bench/experiments with
 * something changed on the command line. Each is read again as it was made; its records are taken from the store. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "bench/formats/terminal.h"
#include "bench/report/report.h"
#include "bench/store/plan_folder.h"
#include "bench/store/texts.h"
#include "bench/verdict/until.h"

static LedgerTable *of_plan(const Ledger *b, const char *plan) {
    for (int i = 0; i < b->made_count; i++)
        if (!strcmp(b->made[i]->x.plan, plan)) return b->made[i];
    return NULL;
}

static bool is_part(const Ledger *b, const Experiment *x) {
    for (int i = 0; i < b->parts; i++)
        if (!strcmp(b->part[i].name, x->name) && !strcmp(b->part[i].profile, x->profile)) return true;
    return false;
}

static Rc not_shown(const char *slug, Rc rc, const Error *e) {
    if (rc == RC_UNMEASURED) terminal_say(stderr, "normbench: note: not shown: results/out/%s: %s\n", slug, e->text);
    return rc;
}

/* The table of a plan whose runs are all there. t->x is read. */
static Rc make(Ledger *b, const Store *stored, LedgerTable *t, const char *slug, bool plain, bool precise, Error *e) {
    Rc rc = until_take(&t->records, stored, &t->x, precise, e);
    if (rc) return not_shown(slug, rc, e);
    if (t->records.missing) {
        if (!plain || !is_part(b, &t->x))
            ledger_add_part(b, &t->x, &t->records, SHOW_TEXT("normbench run %.80s", slug));
        return RC_UNMEASURED;
    }
    TableOptions options = {.command = "", .notes = t->records.notes};
    options.exploratory = !plain && experiment_changed(&t->x);
    rc = table_make(&t->table, &t->x, t->records.at, ledger_file(b, t->x.writeup), options, e);
    return not_shown(slug, rc, e);
}

/* stored is read when the first plan asks for it. */
static Rc take(Ledger *b, const Session *s, Store *stored, const char *slug, const PlanNote *note, Error *e) {
    const char *set[PLAN_TEXTS_MAX], *arm[PLAN_TEXTS_MAX];
    Overrides o = plan_note_overrides(note, set, arm);
    bool precise = false;
    for (int i = 0; i < o.sets; i++) precise |= !strncmp(set[i], "precision=", 10);
    LedgerTable *t = mem_alloc(1, sizeof *t);
    if (plan_note_experiment(note, s->root, slug, &t->x, e)) {
        terminal_say(stderr, "normbench: note: not shown: results/out/%s: %s\n", slug, e->text);
        free(t);
        return RC_OK;
    }
    texts_find(s, &t->x);
    if (!stored->folder[0]) store_read(stored, s->runs);
    Rc rc = make(b, stored, t, slug, !o.sets && !o.arms, precise, e);
    if (rc) {
        ledger_table_free(t);
        return rc == RC_UNMEASURED ? RC_OK : rc;
    }
    LOCAL_TEXT(options);
    plan_note_options(&(PlanNote){.profile = "", .set = note->set, .arm = note->arm}, &options);
    if (options.length) t->changed = mem_text(options.at + 1);
    t->slug = mem_text(slug);
    b->made = mem_grow(b->made, (size_t)b->made_count + 1, sizeof *b->made);
    b->made[b->made_count++] = t;
    return RC_OK;
}

static Rc take_slug(Ledger *b, const Session *s, Store *stored, const char *slug, Error *e) {
    LOCAL(plan_note_release) PlanNote note = {0};
    if (plan_note_read(&note, s->results, slug, e)) return e->code;
    if (!note.all) return RC_OK;
    Rc rc = RC_OK;
    LedgerTable *shown = of_plan(b, note.plan);
    if (!shown && (!b->profile[0] || !strcmp(b->profile, note.profile))) rc = take(b, s, stored, slug, &note, e);
    if (shown && !shown->slug) shown->slug = mem_text(slug);
    return rc;
}

/* Stored runs that are in no table. */
static int count_others(const Ledger *b, const char *runs) {
    char **id;
    int count = folder_names(runs, "", &id), others = 0;
    for (int i = 0; i < count; i++) {
        bool shown = !store_is_id(id[i]);
        for (int t = 0; t < b->made_count && !shown; t++)
            for (int r = 0; r < b->made[t]->records.runs && !shown; r++)
                shown = !strcmp(b->made[t]->records.at[r].id, id[i]);
        others += !shown;
    }
    names_free(id, count);
    return others;
}

Rc report_take(Ledger *b, const Session *s, Error *e) {
    LOCAL(store_release) Store stored = {0};
    char **slug;
    int slugs = plan_slugs(s->results, &slug);
    Rc rc = RC_OK;
    for (int i = 0; i < slugs && !rc; i++) rc = take_slug(b, s, &stored, slug[i], e);
    names_free(slug, slugs);
    b->others = count_others(b, s->runs);
    return rc;
}

/* The way from one folder to another, both of them there: "../smoke-24252339". */
static void way(const char *from, const char *to, Text *out) {
    char a[PATH_MAX], b[PATH_MAX];
    size_t same = 0;
    if (!realpath(from, a) || !realpath(to, b)) return;
    for (size_t i = 0; a[i] == b[i] || !a[i] || !b[i]; i++) {
        if ((a[i] == '/' || !a[i]) && (b[i] == '/' || !b[i])) same = i;
        if (!a[i] || !b[i]) break;
    }
    for (const char *s = a + same; *s; s++)
        if (*s == '/') text_format(out, "../");
    text_format(out, "%s", b[same] ? b + same + 1 : "");
    if (out->length && out->at[out->length - 1] == '/') out->at[--out->length] = 0;
    if (!out->length) text_format(out, ".");
}

static void url(const char *path, Text *out) {
    for (const char *s = path; *s; s++)
        if (strchr("%?# \"&<>'", *s))
            text_format(out, "%%%02X", (unsigned)*s);
        else
            text_add(out, s, 1);
}

static void link_file(const char *folder, const char *name, Text *out) {
    text_format(out, "<a href=\"");
    url(folder, out);
    text_format(out, "/");
    url(name, out);
    text_format(out, "\">");
    html_text(out, name);
    text_format(out, "</a>");
}

Rc report_files(const LedgerTable *made, const Session *s, const char *folder, Text *out, Error *e) {
    LOCAL_TEXT(to);
    LOCAL(plan_note_release) PlanNote note = {0};
    if (!made->slug) return RC_OK;
    if (plan_note_read(&note, s->results, made->slug, e)) return e->code;
    way(folder, SHOW_TEXT("%.900s/out/%.80s", s->results, made->slug), &to);
    text_format(out, "<p class=\"soft\">Files: ");
    link_file(to.at, "plan.json", out);
    for (size_t i = 0; i < json_array_size(note.files); i++) {
        const char *name = json_string_value(json_array_get(note.files, i));
        if (strchr(name, '/') || !file_exists(SHOW_TEXT("%.900s/out/%.80s/%.200s", s->results, made->slug, name)))
            continue;
        text_format(out, ", ");
        link_file(to.at, name, out);
    }
    if (!json_array_size(note.files)) {
        text_format(out, "; <code>normbench table ");
        html_text(out, made->slug);
        text_format(out, "</code> writes the tables and figures beside it");
    }
    text_format(out, ".</p>\n");
    return RC_OK;
}
