#include "bench/store/run_list.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

enum { FIELDS = 16 };

typedef struct {
    char *at[FIELDS];
    int count;
} Fields;

static void split(char *line, Fields *f) {
    for (f->count = 0; line && f->count < FIELDS;) f->at[f->count++] = strsep(&line, ",");
}

static const char *field(const Fields *head, const Fields *line, const char *name) {
    for (int i = 0; i < head->count && i < line->count; i++)
        if (!strcmp(head->at[i], name)) return line->at[i];
    return "";
}

static bool same_value(const RunSpec *s, const char *key, const char *text) {
    RunSpec other = *s;
    char a[SPEC_TEXT_SIZE], b[SPEC_TEXT_SIZE];
    Error none;
    if (spec_set(&other, key, text, &none)) return false;
    return !strcmp(spec_get(a, s, key), spec_get(b, &other, key));
}

static bool is_of(const Fields *head, const Fields *line, const Arm *arm, const RunSpec *s) {
    char seed[24];
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)s->seed);
    if (strcmp(field(head, line, "arm"), arm->name) != 0 || strcmp(field(head, line, "seed"), seed) != 0) return false;
    for (int i = 0; i < head->count && i < line->count; i++)
        if (spec_index(head->at[i]) >= 0 && !same_value(s, head->at[i], line->at[i])) return false;
    return true;
}

/* Members that the stored table states for all its runs. */
typedef struct {
    int vocab; /* 0: several */
    bool exploratory;
} StoredTable;

static StoredTable read_table(const char *text) {
    static const char before[] = "vocabulary ";
    StoredTable t = {.exploratory = strstr(text, "|EXPLORATORY") != NULL};
    for (const char *at = text; (at = strstr(at, before));) {
        int vocab = (int)strtol(at += strlen(before), NULL, 10);
        if (t.vocab && t.vocab != vocab) return (StoredTable){.exploratory = t.exploratory};
        t.vocab = vocab;
    }
    return t;
}

char *stored_table(const char *root, const Experiment *x, char file[RUN_LIST_PATH]) {
    char *text, plan[24], path[RUN_LIST_PATH + 700];
    size_t length;
    Error none;
    snprintf(file, RUN_LIST_PATH, "results/reference/%s/%s.txt", x->profile, x->name);
    snprintf(path, sizeof path, "%.600s/%s", root, file);
    snprintf(plan, sizeof plan, "|plan:%.8s|", x->plan);
    if (!x->profile[0] || !file_exists(path) || file_read(path, &text, &length, &none)) return NULL;
    if (strstr(text, plan)) return text;
    free(text);
    return NULL;
}

static bool stored(const char *root, char *file) {
    char path[RUN_LIST_PATH + 700];
    snprintf(path, sizeof path, "%.600s/%s", root, file);
    if (!file_exists(path)) *file = 0;
    return *file != 0;
}

bool stored_archive(const char *root, const char *profile, const char *name, char file[RUN_LIST_PATH]) {
    snprintf(file, RUN_LIST_PATH, "results/reference/records/%.60s/%.120s.tar.gz", profile, name);
    return stored(root, file);
}

bool stored_list(const char *root, const char *profile, const char *name, char file[RUN_LIST_PATH]) {
    snprintf(file, RUN_LIST_PATH, "results/reference/%.60s/%.120s-runs.csv", profile, name);
    return stored(root, file);
}

static void copy(char *out, size_t size, const char *text) {
    snprintf(out, size, "%s", text);
}

static Rc fill(RunRecord *r, const Fields *head, const Fields *line, const RunSpec *spec, const StoredTable *t,
               const Experiment *x, Error *e) {
    bool ok = !strcmp(field(head, line, "status"), "ok");
    Evaluation last = {.step = (int)spec->steps};
    *r = (RunRecord){.spec = *spec, .diverged_step = ok ? -1 : 1, .vocab = t->vocab, .entropy_rate = (double)NAN};
    r->unigram = r->step_seconds = r->memory_mb = r->wall_seconds = (double)NAN;
    r->spec.evaluate_at.text[0] = 0; /* the last step alone is listed */
    copy(r->id, sizeof r->id, field(head, line, "id"));
    copy(r->loss_chain, sizeof r->loss_chain, field(head, line, "loss_chain"));
    copy(r->parameters_hash, sizeof r->parameters_hash, field(head, line, "parameters_hash"));
    copy(r->status, sizeof r->status, field(head, line, "status"));
    copy(r->arithmetic_class, sizeof r->arithmetic_class, "canon");
    copy(r->provenance.commit, sizeof r->provenance.commit, "not named in the list");
    if (!t->exploratory) {
        char plan[SHA256_HEX + 8];
        snprintf(plan, sizeof plan, "plan %s\n", x->plan);
        r->declared = mem_text(plan);
    }
    for (int m = 0; m < METRIC_COUNT; m++) last.metric[m] = (double)NAN, last.absent[m] = true;
    double loss;
    bool number = parse_real(field(head, line, "valid_loss"), &loss);
    if (ok && number) {
        last.metric[METRIC_valid_loss] = loss, last.metric[METRIC_perplexity] = exp(loss);
        last.absent[METRIC_valid_loss] = last.absent[METRIC_perplexity] = false;
        record_evaluated(r, &last);
    }
    if ((ok && !number) || strlen(r->id) != SHA256_HEX - 1 || (!ok && !t->vocab))
        return error_set(e, RC_INTEGRITY, "run '%.12s': %s", r->id,
                         ok ? "no number or no id" : "it diverged, and what it counts as is not known");
    return RC_OK;
}

/* The lines of a list. */
typedef struct {
    char *text;
    Fields head, *line;
    int lines;
} RunList;

static void list_release(RunList *l) {
    free(l->text);
    free(l->line);
}

/* Takes text over. */
static void list_make(RunList *l, char *text) {
    char *rest = text;
    *l = (RunList){.text = text};
    split(strsep(&rest, "\n"), &l->head);
    for (char *line; (line = strsep(&rest, "\n")) && *line;) {
        l->line = mem_grow(l->line, (size_t)l->lines + 1, sizeof *l->line);
        split(line, &l->line[l->lines++]);
    }
}

static Rc take_all(Records *r, const RunList *l, const StoredTable *t, const Experiment *x, Error *e) {
    Rc rc = RC_OK;
    int next = 0; /* the list has the plan's order, mostly */
    r->at = mem_alloc((size_t)r->runs, sizeof *r->at);
    for (int i = 0; i < r->runs && !rc; i++) {
        int seed = i % x->seeds, arm = i / x->seeds % x->arms, cell = i / x->seeds / x->arms, tried = 0;
        RunSpec spec = experiment_spec(x, cell, arm, seed);
        while (tried < l->lines && !is_of(&l->head, &l->line[(next + tried) % l->lines], &x->arm[arm], &spec)) tried++;
        if (tried >= l->lines) {
            r->missing++;
            continue;
        }
        next = (next + tried) % l->lines;
        rc = fill(&r->at[i], &l->head, &l->line[next], &spec, t, x, e);
    }
    return rc;
}

Rc run_list_take(Records *r, const char *root, const Experiment *x, char file[RUN_LIST_PATH], Error *e) {
    char *text = stored_table(root, x, file), path[RUN_LIST_PATH + 700];
    size_t length;
    StoredTable table;
    RunList list;
    *r = (Records){.runs = experiment_cells(x) * x->arms * x->seeds, .notes = mem_text("")};
    r->missing = r->runs;
    *file = 0;
    if (!text) return RC_OK;
    table = read_table(text);
    free(text);
    if (!stored_list(root, x->profile, x->name, file)) return RC_OK;
    snprintf(path, sizeof path, "%.600s/%s", root, file);
    if (file_read(path, &text, &length, e)) return e->code;
    list_make(&list, text);
    r->missing = 0;
    Rc rc = take_all(r, &list, &table, x, e);
    list_release(&list);
    if (!rc) return RC_OK;
    records_release(r);
    return error_prefix(e, "%s: ", path);
}

static char *line_of(const char *path, const char *id, char **header) {
    char *text, *found = NULL;
    size_t length, n = strlen(id);
    Error none;
    if (file_read(path, &text, &length, &none)) return NULL;
    for (char *rest = text, *line; !found && (line = strsep(&rest, "\n"));) {
        const char *last = strrchr(line, ',');
        if (last && !strncmp(last + 1, id, n)) found = mem_text(line);
    }
    if (found) *header = mem_text(text); /* up to its line's end, which strsep has cut */
    free(text);
    return found;
}

char *run_list_line(const char *root, const char *id, char **header, char file[RUN_LIST_PATH]) {
    char folder[700], path[1600], **profile, **name, *found = NULL;
    snprintf(folder, sizeof folder, "%.600s/results/reference", root);
    int profiles = folder_names(folder, "", &profile);
    for (int p = 0; p < profiles && !found; p++) {
        snprintf(path, sizeof path, "%s/%.200s", folder, profile[p]);
        int names = folder_names(path, "-runs.csv", &name);
        for (int i = 0; i < names && !found; i++) {
            snprintf(path, sizeof path, "%s/%.200s/%.250s-runs.csv", folder, profile[p], name[i]);
            found = line_of(path, id, header);
            if (found) snprintf(file, RUN_LIST_PATH, "%.890s", path + strlen(root) + 1);
        }
        names_free(name, names);
    }
    names_free(profile, profiles);
    return found;
}
