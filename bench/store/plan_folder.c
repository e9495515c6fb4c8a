#include "bench/store/plan_folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "bench/formats/json.h"
#include "bench/store/provenance.h"

#define NOTE_FILE "plan.json"

static bool texts(const json_t *list) {
    size_t i;
    json_t *item;
    if (!json_is_array(list)) return false;
    json_array_foreach(list, i, item) if (!json_is_string(item)) return false;
    return true;
}

Rc plan_note_read(PlanNote *note, const char *results, const char *slug, Error *e) {
    char path[PLAN_PATH_SIZE + 128];
    *note = (PlanNote){0};
    snprintf(path, sizeof path, "%.800s/out/%.80s/" NOTE_FILE, results, slug);
    if (!file_exists(path)) return RC_OK;
    note->all = json_read_file(path, e);
    if (!note->all && e->code != RC_INTEGRITY) return e->code;
    note->experiment = json_get_text(note->all, "experiment"), note->profile = json_get_text(note->all, "profile");
    note->plan = json_get_text(note->all, "plan"), note->yaml = json_get_text(note->all, "yaml");
    note->set = json_object_get(note->all, "set");
    note->arm = json_object_get(note->all, "arm");
    note->files = json_object_get(note->all, "files");
    if (note->experiment && note->profile && note->plan && strlen(note->plan) == SHA256_HEX - 1 && texts(note->set) &&
        texts(note->arm) && texts(note->files))
        return RC_OK;
    plan_note_release(note);
    return error_set(e, RC_INTEGRITY, "%s: it is damaged; remove the folder", path);
}

void plan_note_release(PlanNote *note) {
    json_decref(note->all);
    *note = (PlanNote){0};
}

Rc plan_note_carry(const char *from, const char *to, const char *slug, bool *other, Error *e) {
    char path[PLAN_PATH_SIZE + 128];
    PlanNote note, there;
    Error why;
    Rc rc = RC_OK;
    *other = plan_note_read(&note, from, slug, &why) || !note.all;
    if (*other) return RC_OK;
    *other = plan_note_read(&there, to, slug, &why) || (there.all && strcmp(there.plan, note.plan) != 0);
    if (!*other && !there.all) {
        const char *slash = strrchr(note.experiment, '/');
        json_auto_t *all = json_copy(note.all);
        if (slash && note.yaml) json_object_set_new(all, "experiment", json_string(slash + 1));
        json_object_set_new(all, "files", json_array());
        snprintf(path, sizeof path, "%.800s/out/%.80s", to, slug);
        rc = folder_make_own(path, e);
        snprintf(path, sizeof path, "%.800s/out/%.80s/" NOTE_FILE, to, slug);
        if (!rc) rc = json_write_file(json_incref(all), JSON_EXACT, path, e);
    }
    plan_note_release(&there);
    plan_note_release(&note);
    return rc;
}

int plan_slugs(const char *results, char ***slugs) {
    char out[PLAN_PATH_SIZE], path[PLAN_PATH_SIZE + 300];
    snprintf(out, sizeof out, "%.800s/out", results);
    int count = folder_names(out, "", slugs), kept = 0;
    for (int i = 0; i < count; i++) {
        char *slug = (*slugs)[i];
        snprintf(path, sizeof path, "%s/%.256s/" NOTE_FILE, out, slug);
        if (slug[0] != '.' && file_exists(path))
            (*slugs)[kept++] = slug;
        else
            free(slug);
    }
    return kept;
}

static int texts_of(const json_t *list, const char *text[PLAN_TEXTS_MAX]) {
    int count = 0;
    for (; count < PLAN_TEXTS_MAX && (size_t)count < json_array_size(list); count++)
        text[count] = json_string_value(json_array_get(list, (size_t)count));
    return count;
}

Overrides plan_note_overrides(const PlanNote *note, const char *set[PLAN_TEXTS_MAX], const char *arm[PLAN_TEXTS_MAX]) {
    return (Overrides){.set = set, .sets = texts_of(note->set, set), .arm = arm, .arms = texts_of(note->arm, arm)};
}

static bool of_note(const PlanNote *note, Experiment *x) {
    if (!strcmp(x->plan, note->plan)) return true;
    experiment_release(x);
    return false;
}

Rc plan_note_experiment(const PlanNote *note, const char *root, const char *slug, Experiment *x, Error *e) {
    const char *set[PLAN_TEXTS_MAX], *arm[PLAN_TEXTS_MAX];
    char path[PATH_MAX];
    Overrides o = plan_note_overrides(note, set, arm);
    Error today = {.code = RC_OK};
    if (!experiment_find(path, sizeof path, root, note->experiment, &today) &&
        !experiment_read(x, path, note->profile, &o, &today) && of_note(note, x))
        return RC_OK;
    if (note->yaml) {
        if (experiment_parse(x, note->experiment, note->yaml, note->profile, &o, e))
            return error_prefix(e, "%s: the noted text: ", slug);
        return of_note(note, x)
                   ? RC_OK
                   : error_set(e, RC_INTEGRITY, "%s: plan.json's text makes another plan than %.8s", slug, note->plan);
    }
    if (today.code) return *e = today, e->code;
    return error_set(e, RC_USAGE,
                     "%s: this was plan %.8s of %s, which the file makes no more: it was changed since; for its new "
                     "plan name %s instead",
                     slug, note->plan, note->experiment, note->experiment);
}

bool plan_declared(const char *results, const char *root, Experiment *x) {
    char **slug;
    int slugs = plan_slugs(results, &slug);
    bool found = false;
    Experiment *declared = mem_alloc(1, sizeof *declared); /* too large for a small stack */
    for (int i = 0; i < slugs && !found; i++) {
        LOCAL(plan_note_release) PlanNote note = {0};
        Error none;
        if (plan_note_read(&note, results, slug[i], &none)) continue;
        bool plain = note.all && !json_array_size(note.set) && !json_array_size(note.arm);
        found = plain && !strcmp(note.plan, x->plan) && !plan_note_experiment(&note, root, slug[i], declared, &none);
        if (found) {
            /* no hash knows these three */
            declared->probes = x->probes, declared->hits = x->hits, declared->quantize = x->quantize;
            experiment_release(x);
            *x = *declared;
        }
    }
    free(declared);
    names_free(slug, slugs);
    return found;
}

static void add_option(Text *out, const char *name, const char *value) {
    text_format(out, " --%s ", name);
    text_shell(out, value);
}

void plan_note_options(const PlanNote *note, Text *out) {
    size_t i;
    json_t *item;
    if (note->profile[0]) add_option(out, "profile", note->profile);
    json_array_foreach(note->set, i, item) add_option(out, "set", json_string_value(item));
    json_array_foreach(note->arm, i, item) add_option(out, "arm", json_string_value(item));
}

static bool is_slug(const char *slug) {
    static const char bytes[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
    size_t n = strlen(slug);
    return n && n < PLAN_SLUG_SIZE && strspn(slug, bytes) == n && slug[0] != '.' && slug[0] != '-';
}

Rc plan_folder_find(PlanFolder *f, const char *results, const char *slug, const Experiment *x, Error *e) {
    *f = (PlanFolder){0};
    if (slug[0] && !is_slug(slug))
        return error_set(e, RC_USAGE, "--name: '%.80s' is no name of a folder (1 to %d letters, digits, '-', '_', '.')",
                         slug, PLAN_SLUG_SIZE - 1);
    if (!strcmp(slug, "report")) return error_set(e, RC_USAGE, "--name: results/out/report is where `report` writes");
    if (slug[0])
        snprintf(f->slug, sizeof f->slug, "%s", slug);
    else
        snprintf(f->slug, sizeof f->slug, "%s-%.8s", x->name, x->plan);
    if ((size_t)snprintf(f->path, sizeof f->path, "%s/out/%s", results, f->slug) >= sizeof f->path)
        return error_set(e, RC_USAGE, "--results: the path is too long");
    if (plan_note_read(&f->before, results, f->slug, e)) return e->code;
    if (f->before.all && strcmp(f->before.plan, x->plan)) {
        LOCAL_TEXT(what);
        plan_note_options(&f->before, &what);
        error_set(e, RC_USAGE, "--name: %s is the folder of another plan (%s%.400s); take another name, or remove it",
                  f->path, f->before.experiment, what.at);
        plan_folder_release(f);
        return RC_USAGE;
    }
    if (slug[0] && !f->before.all && folder_filled(f->path))
        return error_set(e, RC_USAGE, "--name: %s holds files that are no plan's (no " NOTE_FILE "); take another name",
                         f->path);
    return RC_OK;
}

void plan_folder_release(PlanFolder *f) {
    plan_note_release(&f->before);
}

void plan_experiment(const char *root, const Experiment *x, char out[PATH_MAX]) {
    char own[PATH_MAX], real[PATH_MAX], known[PATH_MAX];
    if (!realpath(x->file, real)) snprintf(real, sizeof real, "%s", x->file);
    const char *slash = strrchr(real, '/'), *base = slash ? slash + 1 : real;
    snprintf(own, sizeof own, "%.2000s/bench/experiments/%.1000s", root, base);
    size_t n = strlen(base);
    bool is_own = realpath(own, known) && !strcmp(known, real) && n > 5 && !strcmp(base + n - 5, ".yaml");
    snprintf(out, PATH_MAX, "%.*s", (int)(is_own ? n - 5 : strlen(real)), is_own ? base : real);
}

/* Make a list of texts; NULL: one of them is not UTF-8. */
static json_t *list_of(const char *const *item, int count) {
    json_t *list = json_array();
    for (int i = 0; i < count && list; i++)
        if (json_array_append_new(list, json_string(item[i]))) {
            json_decref(list);
            list = NULL;
        }
    return list;
}

static json_t *plan_note(const char *experiment, const Experiment *x, const Overrides *o, json_t *files) {
    return json_pack("{s:i, s:s, s:s, s:s, s:s, s:o, s:o, s:s, s:s, s:O}", "schema", 2, "made_by",
                     "normbench " NORMBENCH_VERSION, "commit", provenance_commit(), "experiment", experiment, "profile",
                     x->profile, "set", list_of(o->set, o->sets), "arm", list_of(o->arm, o->arms), "plan", x->plan,
                     "yaml", x->yaml, "files", files);
}

json_t *plan_note_carried(const PlanFolder *f, const char *root, const Experiment *x, const Overrides *o) {
    const char *set[PLAN_TEXTS_MAX], *arm[PLAN_TEXTS_MAX], *slash;
    char experiment[PATH_MAX];
    json_t *none = json_array(), *all;
    Overrides noted = {0};
    if (f->before.all && !o->sets && !o->arms) noted = plan_note_overrides(&f->before, set, arm), o = &noted;
    plan_experiment(root, x, experiment);
    slash = strrchr(experiment, '/');
    if (f->before.yaml) {
        all = json_copy(f->before.all);
        slash = strrchr(f->before.experiment, '/');
        json_object_set_new(all, "experiment", json_string(slash ? slash + 1 : f->before.experiment));
        json_object_set(all, "files", none);
    } else
        all = plan_note(slash ? slash + 1 : experiment, x, o, none);
    json_decref(none);
    return all;
}

/* Return true if the existing note says how to make the plan: by its text, or by a file only. */
static bool noted_well(const PlanNote *before, const Overrides *o) {
    if (!before->all) return false;
    bool plain = !json_array_size(before->set) && !json_array_size(before->arm);
    return plain ? before->yaml || o->sets || o->arms : before->yaml && (o->sets || o->arms);
}

static Rc write_note(const PlanFolder *f, const char *root, const Experiment *x, const Overrides *o, json_t *files,
                     Error *e) {
    char path[PLAN_PATH_SIZE + 16], experiment[PATH_MAX];
    Rc rc = RC_OK;
    json_t *all;
    plan_experiment(root, x, experiment);
    if (noted_well(&f->before, o)) {
        all = json_copy(f->before.all);
        json_object_set(all, "files", files);
    } else
        all = plan_note(experiment, x, o, files);
    if (!all) return error_set(e, RC_USAGE, "plan.json: a path or an option is not UTF-8");
    snprintf(path, sizeof path, "%s/" NOTE_FILE, f->path);
    folder_sweep(f->path);
    if ((!f->before.all || !json_equal(all, f->before.all)) && !(rc = folder_make_own(f->path, e)))
        rc = json_write_file(json_incref(all), JSON_EXACT, path, e);
    json_decref(all);
    return rc;
}

Rc plan_folder_note(const PlanFolder *f, const char *root, const Experiment *x, const Overrides *o, Error *e) {
    json_auto_t *files = f->before.all ? json_incref(f->before.files) : json_array();
    return write_note(f, root, x, o, files, e);
}

static Rc copy(const char *aside, const PlanFolder *f, const char *name, Error *e) {
    char from[PLAN_PATH_SIZE + 300], to[PLAN_PATH_SIZE + 300], *bytes;
    size_t length;
    snprintf(from, sizeof from, "%.900s/%.256s", aside, name);
    snprintf(to, sizeof to, "%s/%.256s", f->path, name);
    if (file_read(from, &bytes, &length, e)) return e->code;
    Rc rc = file_write_swept(to, bytes, length, e);
    free(bytes);
    return rc;
}

/* Remove an old file, if its name has no folder: nothing outside of the folder is ever removed. */
static void remove_old(const PlanFolder *f, const char *name) {
    char path[PLAN_PATH_SIZE + 300];
    if (strchr(name, '/') || name[0] == '.') return;
    snprintf(path, sizeof path, "%s/%.256s", f->path, name);
    unlink(path);
}

/* List the files of an earlier `table` that stay, and remove the others. name[count]: the new files. */
static void sort_old(const PlanFolder *f, char **name, int count, bool (*stays)(const char *, const void *),
                     const void *of, json_t *files) {
    json_t *item;
    size_t i;
    json_array_foreach(f->before.files, i, item) {
        const char *old = json_string_value(item);
        if (bsearch(&old, name, (size_t)count, sizeof *name, name_order)) continue;
        if (stays(old, of))
            json_array_append(files, item);
        else
            remove_old(f, old);
    }
}

Rc plan_folder_fill(const PlanFolder *f, const char *aside, bool (*stays)(const char *name, const void *of),
                    const void *of, const char *root, const Experiment *x, const Overrides *o, Error *e) {
    char **name;
    int count = folder_names(aside, "", &name);
    json_t *files = json_array();
    Rc rc = folder_make_own(f->path, e);
    if (!rc) folder_sweep(f->path);
    for (int k = 0; k < count && !rc; k++) {
        if (name[k][0] == '.') continue;
        json_array_append_new(files, json_string(name[k]));
        rc = copy(aside, f, name[k], e);
    }
    if (!rc && f->before.all) sort_old(f, name, count, stays, of, files);
    if (!rc) rc = write_note(f, root, x, o, files, e);
    json_decref(files);
    names_free(name, count);
    return rc;
}
