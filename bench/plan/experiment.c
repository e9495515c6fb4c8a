#include "bench/plan/experiment.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "bench/plan/settle.h"

void experiment_release(Experiment *x) {
    free(x->seed);
    free(x->yaml);
    x->seed = NULL, x->yaml = NULL, x->seeds = 0;
}

int experiment_pairs(const Experiment *x, Compared out[EXPERIMENT_COMPARES_MAX]) {
    int count = x->compares, baseline = 0;
    memcpy(out, x->compare, (size_t)x->compares * sizeof *out);
    while (!x->compares && strcmp(x->arm[baseline].name, x->baseline) != 0) baseline++;
    for (int arm = 0; arm < x->arms && !x->compares; arm++)
        if (arm != baseline) out[count++] = (Compared){arm, baseline};
    return count;
}

int experiment_cells(const Experiment *x) {
    int cells = 1;
    for (int i = 0; i < x->factors; i++) cells *= x->factor[i].values;
    return cells;
}

/* Return the cell's level of factor i; the last factor runs fastest. */
int experiment_level(const Experiment *x, int cell, int i) {
    for (int j = x->factors - 1; j > i; j--) cell /= x->factor[j].values;
    return cell % x->factor[i].values;
}

static const char *cell_value(const Experiment *x, int cell, int i) {
    return x->factor[i].value[experiment_level(x, cell, i)];
}

/* Set idle keys as in arms that do not set them, which have the first value of a factor: so arms and cells that differ
 * only in such keys are one run, and the ids of the others stay. */
static void settle_keys(const Experiment *x, RunSpec *s) {
    IdleKey idle[IDLE_KEYS];
    RunSpec usual;
    bool known = false;
    spec_idle(s, idle);
    for (const IdleKey *k = idle; k < idle + IDLE_KEYS; k++) {
        const RunSpec *from = NULL;
        for (int i = 0; k->idle && !from && i < x->arms; i++)
            if (!(x->arm[i].own >> spec_index(k->key) & 1)) from = &x->arm[i].spec;
        if (k->idle && !from) {
            if (!known) spec_init(&usual);
            known = true, from = &usual;
        }
        if (from) memcpy((char *)s + k->at, (const char *)from + k->at, k->size);
    }
}

RunSpec experiment_spec(const Experiment *x, int cell, int arm, int seed) {
    assert(cell >= 0 && cell < experiment_cells(x) && arm >= 0 && arm < x->arms && seed >= 0 && seed < x->seeds);
    RunSpec s = x->arm[arm].spec;
    Error e;
    for (int i = 0; i < x->factors; i++) {
        if (x->arm[arm].own >> spec_index(x->factor[i].key) & 1) continue;
        Rc rc = spec_set(&s, x->factor[i].key, cell_value(x, cell, i), &e);
        assert(rc == RC_OK && "a factor's values were checked when they were read");
        (void)rc;
    }
    for (const OwnText *t = x->text; t < x->text + x->texts; t++)
        if (t->sha256[0] && !strcmp(t->name.text, s.dataset.text)) spec_know_text(&s, t->sha256);
    settle_keys(x, &s);
    spec_settle(&s);
    s.seed = x->seed[seed];
    return s;
}

void experiment_hashes(const Experiment *x, int cell, int arm, char (*hash)[SHA256_HEX]) {
    if (!x->seeds) return;
    RunSpec named = experiment_spec(x, cell, arm, 0), first = spec_by_bytes(&named);
    SpecSeeds seeds;
    spec_seeds_init(&seeds, &first);
    for (int seed = 0; seed < x->seeds; seed++) spec_seeds_hash(&seeds, x->seed[seed], "", hash[seed]);
    spec_seeds_release(&seeds);
}

char *factor_text(char out[FACTOR_VALUE_SIZE], const Factor *f, int level) {
    return spec_shown(out, f->key, f->value[level]);
}

char *experiment_cell_text(char *out, const Experiment *x, int cell) {
    enum { ROOM = 256 };
    char value[FACTOR_VALUE_SIZE];
    size_t n = 0;
    out[0] = 0;
    for (int i = 0; i < x->factors && n < ROOM; i++)
        n += (size_t)snprintf(out + n, ROOM - n, "%s%s = %s", i ? ", " : "", x->factor[i].key,
                              factor_text(value, &x->factor[i], experiment_level(x, cell, i)));
    return out;
}

/* Append `run`'s argument for the file: an experiment of the checkout by its name, any other by its path. */
static void file_word(const Experiment *x, Text *out) {
    static const char folder[] = "bench/experiments/";
    const char *slash = strrchr(x->file, '/'), *name = slash ? slash + 1 : x->file;
    size_t before = (size_t)(name - x->file), n = strlen(name);
    bool own = before >= strlen(folder) && !strncmp(name - strlen(folder), folder, strlen(folder)) && n > 5;
    if (own)
        text_format(out, "%.*s", (int)n - 5, name);
    else
        text_format(out, "%s", x->file);
}

void experiment_command(const Experiment *x, Text *out) {
    uint64_t own = 0;
    char value[SPEC_TEXT_SIZE];
    spec_get(value, &x->arm[0].spec, "precision");
    for (int i = 0; i < x->factors; i++) own |= (uint64_t)1 << spec_index(x->factor[i].key);
    for (int i = 0; i < x->arms; i++) own |= x->arm[i].own;
    text_format(out, "normbench run ");
    file_word(x, out);
    if (x->profile[0]) text_format(out, " --profile %s", x->profile);
    if (!spec_left_out("precision", value) && !(own >> spec_index("precision") & 1))
        text_format(out, " --set precision=%s", value);
}

const char *experiment_needs_device(const Experiment *x) {
    const char *name = NULL;
    for (int cell = 0; cell < experiment_cells(x) && !name; cell++)
        for (int arm = 0; arm < x->arms && !name; arm++) {
            RunSpec s = experiment_spec(x, cell, arm, 0);
            name = spec_needs_device(&s);
        }
    return name;
}

bool experiment_leaves_precision(const Experiment *x) {
    uint64_t said = x->said;
    for (int i = 0; i < x->arms; i++) said |= x->arm[i].own;
    return !(said >> spec_index("precision") & 1);
}

static int by_number(const void *a, const void *b) {
    double x = 0, y = 0;
    parse_real(*(char *const *)a, &x), parse_real(*(char *const *)b, &y);
    return (x > y) - (x < y);
}

/* List a factor's values; sort numbers, since their order only affects the table's cells. */
static void plan_values(const Factor *f, const char *value[EXPERIMENT_VALUES_MAX]) {
    bool numbers = true;
    double number;
    for (int j = 0; j < f->values; j++) value[j] = f->value[j], numbers &= parse_real(f->value[j], &number);
    if (numbers) qsort(value, (size_t)f->values, sizeof *value, by_number);
}

/* Append an arm's keys, with factors at their first value. */
static void plan_arm(const Experiment *x, const Arm *a, Text *out) {
    const char *value[EXPERIMENT_VALUES_MAX];
    RunSpec spec = a->spec;
    Error none;
    text_format(out, "arm %s\n", a->name);
    for (const Factor *f = x->factor; f < x->factor + x->factors; f++) {
        if (a->own >> spec_index(f->key) & 1) {
            text_format(out, "keeps %s\n", f->key);
            continue;
        }
        plan_values(f, value);
        (void)spec_set(&spec, f->key, value[0], &none); /* was checked on reading */
    }
    spec_text_keys(&spec, out);
}

/* Append the seeds; the rule by which seeds are added is younger than their list. */
static void plan_seeds(const Experiment *x, Text *out) {
    text_format(out, "\nseeds =");
    for (int i = 0; i < x->seeds; i++) text_format(out, " %llu", (unsigned long long)x->seed[i]);
    if (x->looks) text_format(out, "\nlooks =");
    for (int i = 0; i < x->looks; i++) text_format(out, " %d", x->look[i]);
    if (x->most && !x->looks) text_format(out, "\nuntil = decided, most %d", x->most);
}

void experiment_text(const Experiment *x, bool seeds, Text *out) {
    const char *values[EXPERIMENT_VALUES_MAX];
    char value[SPEC_TEXT_SIZE];
    text_format(out, "baseline = %s\nmetric = %s\n", x->baseline, metric_info[x->metric].key);
    text_format(out, "alpha = %s\n", format_real(value, x->alpha));
    text_format(out, "margin = %s", format_real(value, x->margin));
    if (seeds) plan_seeds(x, out);
    for (int i = 0; i < x->factors; i++) {
        text_format(out, "\nfactor %s =", x->factor[i].key);
        plan_values(&x->factor[i], values);
        for (int j = 0; j < x->factor[i].values; j++) text_format(out, " %s", values[j]);
    }
    for (int i = 0; i < x->compares; i++) /* younger than the baseline */
        text_format(out, "%s%s - %s", i ? ", " : "\ncompare = ", x->arm[x->compare[i].arm].name,
                    x->arm[x->compare[i].against].name);
    text_format(out, "\n");
    for (const Arm *a = x->arm; a < x->arm + x->arms; a++) plan_arm(x, a, out);
}

/* Refuse a name with "; did you mean 'smoke'?" or "; there are a, b and c"; users' files are named by their paths. */
static Rc unknown_experiment(const char *folder, const char *name, Error *e) {
    char **names, hint[300];
    snprintf(hint, sizeof hint, "%.200s.yaml", name);
    if (file_exists(hint))
        return error_set(e, RC_USAGE, "unknown experiment '%.200s'; did you mean the file %s?", name, hint);
    int count = folder_names(folder, ".yaml", &names);
    did_you_mean(hint, sizeof hint, name, (const char *const *)names, (size_t)count);
    error_set(e, RC_USAGE, "unknown experiment '%.200s'%s", name, hint);
    if (!count) error_add(e, "; %.300s holds none", folder);
    for (int i = 0; i < count && !hint[0]; i++) error_add(e, "%s%s", i ? ", " : "; there are: ", names[i]);
    names_free(names, count);
    return RC_USAGE;
}

Rc experiment_find(char *path, size_t size, const char *root, const char *name, Error *e) {
    bool is_path = strchr(name, '/') || text_ends(name, ".yaml") || text_ends(name, ".yml");
    int n =
        is_path ? snprintf(path, size, "%s", name) : snprintf(path, size, "%s/bench/experiments/%s.yaml", root, name);
    if (n < 0 || (size_t)n >= size) return error_set(e, RC_USAGE, "the path of '%.200s' is too long", name);
    if (file_exists(path)) return RC_OK;
    if (is_path) return error_set(e, RC_USAGE, "%.900s: no such file", name);
    if ((size_t)snprintf(path, size, "%s/bench/experiments", root) >= size) path[0] = 0;
    return unknown_experiment(path, name, e);
}
