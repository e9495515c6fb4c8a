/* From rows to the grid of arms, seeds and blocks; what is missing or twice is named, never dropped. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain.h"
#include "bench/compare/rows.h"

static int by_place(const void *x, const void *y) {
    const CompareRow *a = x, *b = y;
    if (a->arm != b->arm) return a->arm < b->arm ? -1 : 1;
    if (a->seed != b->seed) return a->seed < b->seed ? -1 : 1;
    if (a->block != b->block) return a->block < b->block ? -1 : 1;
    return (a->at > b->at) - (a->at < b->at);
}

static int by_number(const void *x, const void *y) {
    int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
    return (a > b) - (a < b);
}

/* The different seeds (or blocks) of all rows, or of those that did not diverge, ascending. */
static int64_t *distinct(const CompareRows *r, bool blocks, bool finite, size_t *count) {
    int64_t *list = mem_alloc(r->rows, sizeof *list);
    size_t rows = 0;
    for (size_t i = 0; i < r->rows; i++)
        if (!finite || !isnan(r->row[i].value)) list[rows++] = blocks ? r->row[i].block : r->row[i].seed;
    qsort(list, rows, sizeof *list, by_number);
    *count = 0;
    for (size_t i = 0; i < rows; i++)
        if (!*count || list[*count - 1] != list[i]) list[(*count)++] = list[i];
    return list;
}

/* Which arm lacks what, and where some other run has it. */
static Rc lacks(const CompareRows *r, int arm, int64_t seed, int64_t block, Error *e) {
    const CompareRow *has = NULL;
    char where[1200], what[64] = "";
    for (size_t i = 0; i < r->rows && !has; i++)
        if (r->row[i].seed == seed && (!r->blocks || r->row[i].block == block)) has = &r->row[i];
    for (size_t i = 0; i < r->rows && !has; i++)
        if (r->row[i].seed == seed) has = &r->row[i];
    if (r->blocks) snprintf(what, sizeof what, ", block %lld", (long long)block);
    return error_set(e, RC_USAGE,
                     "%s: seed %lld%s is there for arm '%s' and missing for arm '%s'; pairs need every seed%s; "
                     "--unpaired compares arms that share no seeds",
                     compare_where(where, sizeof where, r, has), (long long)seed, has->block == block ? what : "",
                     r->arm[has->arm], r->arm[arm], r->blocks ? " and block" : "");
}

/* Rows in ascending place: no run may lack a block that others have. */
static Rc check_blocks(const CompareRows *r, const int64_t *block, size_t blocks, Error *e) {
    for (size_t i = 0; i < r->rows; i += blocks)
        for (size_t b = 0; b < blocks; b++) {
            const CompareRow *row = &r->row[i], *at = &r->row[i + b];
            bool there = i + b < r->rows && at->arm == row->arm && at->seed == row->seed && at->block == block[b];
            char where[1200];
            if (!there)
                return error_set(e, RC_USAGE, "%s: seed %lld of arm '%s' has no block %lld, which others have",
                                 compare_where(where, sizeof where, r, row), (long long)row->seed, r->arm[row->arm],
                                 (long long)block[b]);
        }
    return RC_OK;
}

/* The same: the i-th must be the i-th cell of the grid. */
static Rc check_grid(const CompareRows *r, const int64_t *seed, size_t seeds, const int64_t *block, size_t blocks,
                     Error *e) {
    size_t i = 0;
    for (size_t k = 1; k < r->rows; k++) {
        const CompareRow *a = &r->row[k - 1], *b = &r->row[k];
        if (a->arm == b->arm && a->seed == b->seed && a->block == b->block) return compare_twice(r, a, b, e);
    }
    if (r->columns.unpaired) return check_blocks(r, block, blocks, e);
    for (int arm = 0; arm < r->arms; arm++)
        for (size_t s = 0; s < seeds; s++)
            for (size_t b = 0; b < blocks; b++, i++) {
                const CompareRow *row = &r->row[i];
                bool there = i < r->rows && row->arm == arm && row->seed == seed[s] && row->block == block[b];
                if (!there) return lacks(r, arm, seed[s], block[b], e);
            }
    return RC_OK;
}

/* Where arms begin in the rows, and how many runs they have; the most of an arm. */
static int count_runs(const CompareRows *r, size_t blocks, int *runs) {
    int most = 0;
    for (size_t i = 0; i < r->rows; i += blocks) runs[r->row[i].arm]++;
    for (int arm = 0; arm < r->arms; arm++) most = runs[arm] > most ? runs[arm] : most;
    return most;
}

/* Whether every arm has the seeds of the first. */
static bool all_shared(const CompareData *d) {
    for (int arm = 1; arm < d->arms; arm++)
        if (d->runs[arm] != d->runs[0] ||
            memcmp(d->seed, d->seed + (size_t)arm * (size_t)d->seeds, (size_t)d->runs[0] * sizeof *d->seed) != 0)
            return false;
    return true;
}

static char *run_text(const CompareRows *r, const CompareRow *row) {
    char where[1200];
    Text said;
    text_init(&said);
    text_format(&said, "%s: ", compare_where(where, sizeof where, r, row));
    if (r->numbered && row->seed < 0)
        text_format(&said, "a run of arm '%s'", r->arm[row->arm]);
    else
        text_format(&said, "%s %lld of arm '%s'", r->numbered ? "run" : "seed", (long long)row->seed, r->arm[row->arm]);
    return said.at;
}

static void fill(CompareData *d, const CompareRows *r, size_t blocks) {
    size_t runs = (size_t)d->arms * (size_t)d->seeds, at = 0;
    double *all = mem_alloc(r->rows, sizeof *all);
    d->seed = mem_alloc(runs, sizeof *d->seed);
    d->value = mem_alloc(runs, sizeof *d->value);
    d->diverged = mem_alloc(runs, sizeof *d->diverged);
    for (size_t i = 0; i < r->rows; i++) all[i] = r->row[i].value;
    const CompareRow *first = NULL;
    for (size_t run = 0; run < runs; run++) {
        if (run % (size_t)d->seeds >= (size_t)d->runs[run / (size_t)d->seeds]) continue;
        d->seed[run] = (uint64_t)r->row[at].seed;
        for (size_t b = 0; b < blocks; b++) {
            const CompareRow *row = &r->row[at + b];
            d->diverged[run] |= isnan(row->value) != 0;
            if (isnan(row->value) && (!first || row->at < first->at)) first = row;
        }
        d->lost += d->diverged[run];
        d->value[run] = d->diverged[run] ? (double)NAN : st_mean(all + at, blocks);
        at += blocks;
    }
    if (first) d->first_lost = run_text(r, first);
    if (r->blocks && !d->unpaired)
        d->block = all;
    else
        free(all);
}

/* Of what the file says, not of how it says it: arms by name. */
static void hash(CompareData *d, const CompareRows *r, size_t blocks) {
    OWNED char **name = mem_alloc((size_t)d->arms, sizeof *name);
    LOCAL_TEXT(all);
    memcpy(name, r->arm, (size_t)d->arms * sizeof *name);
    qsort(name, (size_t)d->arms, sizeof *name, name_order);
    for (int i = 0; i < d->arms; i++) {
        int arm = 0;
        size_t at = 0;
        while (strcmp(r->arm[arm], name[i]) != 0) at += (size_t)d->runs[arm++] * blocks;
        text_add(&all, name[i], strlen(name[i]) + 1);
        for (size_t k = 0; k < (size_t)d->runs[arm] * blocks; k++) {
            const CompareRow *row = &r->row[at + k];
            int64_t place[2] = {row->seed, row->block};
            bool lost = isnan(row->value);
            double value = lost ? 0 : row->value;
            text_add(&all, (const char *)place, sizeof place);
            text_add(&all, lost ? "!" : "=", 1);
            text_add(&all, (const char *)&value, sizeof value);
        }
    }
    sha256_hex_of(d->hash, all.at, all.length);
}

/* Rows in ascending place: takes out those without a value, and counts the runs of which nothing is left. */
static void leave_absent(CompareData *d, CompareRows *r) {
    size_t kept = 0;
    for (size_t i = 0, next; i < r->rows; i = next) {
        size_t before = kept;
        CompareRow run = r->row[i];
        for (next = i; next < r->rows && r->row[next].arm == run.arm && r->row[next].seed == run.seed; next++)
            if (!r->row[next].absent) r->row[kept++] = r->row[next];
        if (kept > before) continue;
        char **first = run.unfinished ? &d->first_unfinished : &d->first_absent;
        ++*(run.unfinished ? &d->unfinished : &d->absent);
        if (!*first) *first = run_text(r, &run);
    }
    r->rows = kept;
}

/* last: of all curves; ended: the earliest end of a curve that never reaches the target, infinite where all do. */
typedef struct {
    double last, ended;
} Reached;

/* Whether some of the steps, ascending, lies between two. */
static bool lies_between(const int64_t *step, size_t count, int64_t after, int64_t before) {
    size_t lo = 0, hi = count;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (step[mid] <= after)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < count && step[lo] < before;
}

static bool reaches(const CompareColumns *c, double value) {
    return c->rising ? value >= c->target : value <= c->target; /* false for NaN */
}

/* With columns.steps, rows by arm, seed and step: puts one row in the place of a run's, whose value is the first step
 * at which it reaches the target; NaN: it never does. coarse: CompareData's. RC_USAGE: a step that is there twice. */
static Rc reach(CompareRows *r, Reached *out, double *coarse, Error *e) {
    size_t runs = 0, steps;
    OWNED int64_t *step = distinct(r, true, true, &steps);
    *out = (Reached){.ended = (double)INFINITY};
    for (size_t first = 0, next; first < r->rows; first = next) {
        CompareRow run = r->row[first];
        run.value = (double)NAN;
        for (next = first; next < r->rows && r->row[next].arm == run.arm && r->row[next].seed == run.seed; next++) {
            const CompareRow *at = &r->row[next];
            if (next > first && at[-1].block == at->block) return compare_twice(r, at - 1, at, e);
            if (!isnan(run.value) || !reaches(&r->columns, at->value)) continue;
            run.value = (double)at->block;
            int64_t before = next > first ? at[-1].block : 0;
            if (lies_between(step, steps, before, at->block))
                coarse[run.arm] = fmax(coarse[run.arm], (double)(at->block - before));
        }
        double end = (double)r->row[next - 1].block;
        out->last = fmax(out->last, end);
        if (isnan(run.value)) out->ended = fmin(out->ended, end);
        run.block = 0;
        r->row[runs++] = run;
    }
    r->rows = runs;
    r->blocks = false;
    return RC_OK;
}

/* Whether a letter and the next are of two words: "val/acc", "acc1", "valAcc". */
static bool parts(char a, char b) {
    return !isalpha((unsigned char)a) || !isalpha((unsigned char)b) ||
           (islower((unsigned char)a) && isupper((unsigned char)b));
}

/* Whether a name has a word, or several of them: "acc_norm", "valAccs", but not "accumulated_loss". */
static bool has_word(const char *name, const char *word) {
    size_t n = strlen(word);
    for (const char *at = name; (at = strcasestr(at, word)); at++) {
        const char *end = at + n + (at[n] == 's');
        if ((at == name || parts(at[-1], at[0])) && parts(end[-1], end[0])) return true;
    }
    return false;
}

/* All values of one arm above 1.5 and of another within 1: percent beside fractions. */
static Rc check_units(const CompareRows *r, Error *e) {
    static const char *const names[] = {"acc", "accuracy", "f1",        "top1",        "auroc",
                                        "auc", "recall",   "precision", "exact_match", "em"};
    const char *fraction = NULL, *percent = NULL;
    bool rate = false;
    for (size_t i = 0; i < sizeof names / sizeof *names && r->metric; i++) rate |= has_word(r->metric, names[i]);
    for (int arm = 0; arm < r->arms && rate; arm++) {
        double least = (double)INFINITY, most = -(double)INFINITY;
        for (size_t i = 0; i < r->rows; i++)
            if (r->row[i].arm == arm && !isnan(r->row[i].value))
                least = fmin(least, r->row[i].value), most = fmax(most, r->row[i].value);
        if (least > 1.5 && most <= 100) percent = r->arm[arm];
        if (least >= 0 && most <= 1) fraction = r->arm[arm];
    }
    if (!fraction || !percent) return RC_OK;
    return error_set(e, RC_USAGE, "%.100s: arm '%.80s' is in percent and arm '%.80s' in fractions; one unit is needed",
                     r->metric, percent, fraction);
}

Rc compare_gather(CompareData *d, CompareRows *r, Error *e) {
    size_t seeds, blocks;
    if (r->rows) qsort(r->row, r->rows, sizeof *r->row, by_place);
    leave_absent(d, r);
    if (!r->rows) return error_set(e, RC_UNMEASURED, "%.600s: nothing to compare: it holds no runs", r->file);
    if (check_units(r, e)) return e->code;
    Reached reached = {0, 0};
    if (r->columns.steps) d->coarse = mem_alloc((size_t)r->arms, sizeof *d->coarse);
    if (r->columns.steps && reach(r, &reached, d->coarse, e)) return e->code;
    OWNED int64_t *seed = distinct(r, false, false, &seeds), *block = distinct(r, true, false, &blocks);
    int *runs = mem_alloc((size_t)r->arms, sizeof *runs), most = 0;
    Rc rc = check_grid(r, seed, seeds, block, blocks, e);
    if (!rc) most = count_runs(r, blocks, runs);
    for (int arm = 0; !rc && arm < r->arms; arm++)
        if (!runs[arm]) rc = error_set(e, RC_USAGE, "%.600s: arm '%s' has no run", r->file, r->arm[arm]);
    if (!rc && r->arms > 1 && (double)(r->arms - 1) * most > COMPARE_NUMBERS_MAX)
        rc = error_set(e, RC_USAGE, "%.600s: %d arms of %d seeds: comparisons times seeds may be %d at most", r->file,
                       r->arms, most, COMPARE_NUMBERS_MAX);
    if (!rc) {
        d->arms = r->arms, d->seeds = most, d->blocks = r->blocks ? (int)blocks : 0;
        d->unpaired = r->columns.unpaired;
        d->steps = r->columns.steps, d->rising = r->columns.rising, d->target = r->columns.target;
        d->last = reached.last, d->ended = reached.ended;
        d->runs = runs, runs = NULL;
        fill(d, r, blocks);
        d->shared = !r->numbered && all_shared(d);
        hash(d, r, blocks);
        d->arm = r->arm, d->columns = r->read_as;
        r->arm = NULL, r->arms = 0, r->read_as = NULL;
    }
    free(runs);
    return rc;
}

Rc compare_rows_read(CompareRows *r, const char *bytes, size_t length, Error *e) {
    OWNED char *copy = memcpy(mem_alloc(length + 1, 1), bytes, length);
    Rc rc = plain_text(&copy, &length, e) ? error_prefix(e, "%.600s: ", r->file) : RC_OK;
    size_t start = strspn(copy, " \t\r\n");
    if (!rc && start == length)
        rc = error_set(e, RC_USAGE, "%.600s: empty", r->file);
    else if (!rc && (copy[start] == '{' || copy[start] == '['))
        rc = compare_records(r, copy, length, e);
    else if (!rc)
        rc = compare_csv(r, copy, length, CSV_FILE, 2, e);
    return rc;
}

void compare_data_release(CompareData *d) {
    for (int i = 0; i < d->arms; i++) free(d->arm[i]);
    free(d->arm);
    free(d->runs);
    free(d->seed);
    free(d->value);
    free(d->diverged);
    free(d->block);
    free(d->first_lost);
    free(d->first_absent);
    free(d->first_unfinished);
    free(d->coarse);
    free(d->columns);
    free(d->remarks);
    *d = (CompareData){0};
}
