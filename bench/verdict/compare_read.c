/* From rows to the grid of arms, seeds and blocks; what is missing or twice is named, never dropped. */
#include <ctype.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/plain.h"
#include "bench/verdict/compare_corpora.h"
#include "bench/verdict/compare_rows.h"

enum { NAME_MOST = 80, NAMES_MOST = 10000 };

const char compare_name_columns[] = "; if a line is one run, --arm-column and --value-column name its columns";

char *compare_where(char *out, size_t size, const CompareRows *r, const CompareRow *row) {
    if (r->lines)
        snprintf(out, size, "%.600s:%ld", r->file, row->at);
    else if (row->at >= 0)
        snprintf(out, size, "%.600s: [%ld]", r->file, row->at);
    else
        snprintf(out, size, "%.600s: arms.%s.%lld", r->file, r->arm[row->arm], (long long)row->seed);
    return out;
}

/* The length of a name in code points; -1 when it is not UTF-8 or holds control bytes. */
static int name_length(const char *name) {
    json_t *utf8 = json_string(name);
    int n = utf8 ? 0 : -1;
    json_decref(utf8);
    for (const char *s = name; n >= 0 && *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c < ' ' || c == 127) return -1;
        n += (c & 0xC0) != 0x80;
    }
    return n;
}

const char *const compare_corpus_columns[2] = {"corpus", "dataset"};

/* The place of a name in a list, made when new. what: "arm"; last: where the one before was found. */
static Rc find_name(char ***list, int *count, int *last, const char *what, const char *where, const char *name,
                    int *out, Error *e) {
    bool same = *last < *count && !strcmp((*list)[*last], name);
    for (int i = 0; i < *count && !same; i++)
        if (!strcmp((*list)[i], name)) same = true, *last = i;
    *out = *last;
    if (same) return RC_OK;
    int length = name_length(name);
    const char *a = what[0] == 'a' ? "an" : "a";
    if (!length) return error_set(e, RC_USAGE, "%s: %s %s without a name", where, a, what);
    if (length < 0)
        return error_set(e, RC_USAGE, "%s: %s %s's name is not UTF-8 or holds control characters", where, a, what);
    if (length > NAME_MOST)
        return error_set(e, RC_USAGE, "%s: %s '%.40s...': a name may have %d characters", where, what, name, NAME_MOST);
    if (*count == NAMES_MOST)
        return error_set(e, RC_USAGE, "%s: %s '%.40s': more than %d of them", where, what, name, NAMES_MOST);
    *list = mem_grow(*list, (size_t)*count + 1, sizeof **list);
    (*list)[*count] = mem_text(name);
    *out = *last = (*count)++;
    return RC_OK;
}

Rc compare_arm(CompareRows *r, const char *where, const char *name, int *arm, Error *e) {
    return find_name(&r->arm, &r->arms, &r->last_arm, "arm", where, name, arm, e);
}

Rc compare_corpus(CompareRows *r, const char *where, const char *name, int *corpus, Error *e) {
    return find_name(&r->corpus, &r->corpora, &r->last_corpus, "corpus", where, name, corpus, e);
}

void compare_row_add(CompareRows *r, CompareRow row) {
    if (r->rows == r->room) {
        r->room = r->room ? 2 * r->room : 64;
        r->row = mem_grow(r->row, r->room, sizeof *r->row);
    }
    r->row[r->rows++] = row;
}

Rc compare_seed(const char *where, const char *what, const char *text, int64_t *out, Error *e) {
    if (!text[0]) return error_set(e, RC_USAGE, "%s:%s: empty", where, what);
    if (parse_whole(text, out) && *out >= 0) return RC_OK;
    return error_set(e, RC_USAGE, "%s:%s: '%.60s' is not a whole number from 0 on", where, what, text);
}

Rc compare_value_fits(const char *where, const char *what, double value, Error *e) {
    if (value != 0 && fabs(value) < COMPARE_SMALLEST)
        return error_set(e, RC_USAGE, "%s:%s: %g is too small (numbers but 0 begin at %g; take another unit)", where,
                         what, value, COMPARE_SMALLEST);
    if (fabs(value) <= COMPARE_LARGEST) return RC_OK;
    return error_set(e, RC_USAGE, "%s:%s: %g is too large (numbers may go to %g; a diverged run is written nan)", where,
                     what, value, COMPARE_LARGEST);
}

/* Whether a text is one of the words, whatever its case. */
static bool among(const char *text, const char *const *words, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!strcasecmp(text, words[i])) return true;
    return false;
}

bool compare_absent(const char *text) {
    static const char *const words[] = {
        "",     "na",  "n/a", "n.a.",    "#n/a", "#na", "<na>", "none", /* and what dashes there are: */
        "null", "nil", "\\N", "missing", "?",    ".",   "-",    "--",   "---", "\xe2\x80\x93", "\xe2\x80\x94"};
    return among(text, words, sizeof words / sizeof *words);
}

bool compare_may_lack(const CompareRows *r) {
    return r->columns.unpaired || r->columns.steps;
}

int64_t compare_next_run(CompareRows *r, int arm) {
    if (arm >= r->counted) {
        r->runs = mem_grow(r->runs, (size_t)arm + 1, sizeof *r->runs);
        while (r->counted <= arm) r->runs[r->counted++] = 0;
    }
    return ++r->runs[arm];
}

size_t compare_run_name(const char *name, int64_t *seed) {
    static const char *const words[] = {"seed", "run", "rep", "trial", "s"};
    static const char between[] = "-_/. :=#";
    size_t n = strlen(name), digits = n, word;
    while (digits && name[digits - 1] >= '0' && name[digits - 1] <= '9') digits--;
    if (digits == n || !parse_integer(name + digits, seed)) return 0;
    for (word = digits; word && strchr(between, name[word - 1]); word--) {
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t length = strlen(words[i]), arm = word > length ? word - length : 0;
        if (!arm || strncasecmp(name + arm, words[i], length) || !strchr(between, name[arm - 1])) continue;
        while (arm && strchr(between, name[arm - 1])) arm--;
        return arm;
    }
    return 0;
}

Rc compare_value(const char *where, const char *what, const char *text, double *out, Error *e) {
    static const char *const lost[] = {"nan",  "inf",      "infinity", "diverged", ".nan",
                                       ".inf", "nan(ind)", "1.#inf",   "1.#qnan",  "1.#ind"};
    const char *bare = text[0] == '-' || text[0] == '+' ? text + 1 : text;
    if (!text[0])
        return error_set(e, RC_USAGE,
                         "%s:%s: empty (every arm needs every seed, but for --unpaired; a diverged run is written nan)",
                         where, what);
    if (compare_absent(text))
        return error_set(e, RC_USAGE,
                         "%s:%s: '%s' is a missing value (every arm needs every seed, but for --unpaired, where it is "
                         "no run; a diverged run is written nan)",
                         where, what, text);
    if (among(bare, lost, sizeof lost / sizeof *lost)) {
        *out = (double)NAN;
        return RC_OK;
    }
    if (parse_real(text, out)) return compare_value_fits(where, what, *out, e);
    return error_set(e, RC_USAGE, "%s:%s: '%.60s' is not a number%s", where, what, text,
                     strchr(text, ',')                 ? " (decimals take a point)"
                     : isalpha((unsigned char)text[0]) ? " (a diverged run is written nan)"
                                                       : "");
}

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

/* The different seeds (or blocks) of all rows, ascending. */
static int64_t *distinct(const CompareRows *r, bool blocks, size_t *count) {
    int64_t *list = mem_alloc(r->rows, sizeof *list);
    for (size_t i = 0; i < r->rows; i++) list[i] = blocks ? r->row[i].block : r->row[i].seed;
    qsort(list, r->rows, sizeof *list, by_number);
    *count = 0;
    for (size_t i = 0; i < r->rows; i++)
        if (!*count || list[*count - 1] != list[i]) list[(*count)++] = list[i];
    return list;
}

Rc compare_twice(const CompareRows *r, const CompareRow *a, const CompareRow *b, Error *e) {
    char where[1200], block[64] = "", before[64] = "";
    if (r->blocks)
        snprintf(block, sizeof block, " and %s %lld", r->columns.steps ? "step" : "block", (long long)b->block);
    if (r->lines) snprintf(before, sizeof before, " (first on line %ld)", a->at);
    return error_set(e, RC_USAGE, "%s: seed %lld%s of arm '%s' is there twice%s%s",
                     compare_where(where, sizeof where, r, b), (long long)b->seed, block, r->arm[b->arm], before,
                     r->wide ? compare_name_columns : "");
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

/* The mean of a run's blocks, corrected by the mean of the rounding errors. */
static double mean_of(const double *x, size_t n) {
    double sum = 0, rest = 0;
    for (size_t i = 0; i < n; i++) sum += x[i];
    for (size_t i = 0; i < n; i++) rest += x[i] - sum / (double)n;
    return sum / (double)n + rest / (double)n;
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
        d->value[run] = d->diverged[run] ? (double)NAN : mean_of(all + at, blocks);
        at += blocks;
    }
    if (first) {
        char where[1200];
        Text said;
        text_init(&said);
        text_format(&said, "%s: %s %lld of arm '%s'", compare_where(where, sizeof where, r, first),
                    r->numbered ? "run" : "seed", (long long)first->seed, r->arm[first->arm]);
        d->first_lost = said.at;
    }
    if (r->blocks && !d->unpaired)
        d->block = all;
    else
        free(all);
}

static int by_name(const void *x, const void *y) {
    return strcmp(*(char *const *)x, *(char *const *)y);
}

/* Of what the file says, not of how it says it: arms by name. */
static void hash(CompareData *d, const CompareRows *r, size_t blocks) {
    char **name = mem_alloc((size_t)d->arms, sizeof *name);
    Text all;
    text_init(&all);
    memcpy(name, r->arm, (size_t)d->arms * sizeof *name);
    qsort(name, (size_t)d->arms, sizeof *name, by_name);
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
    text_release(&all);
    free(name);
}

Rc compare_gather(CompareData *d, CompareRows *r, Error *e) {
    size_t seeds, blocks;
    if (!r->rows) return error_set(e, RC_UNMEASURED, "%.600s: nothing to compare: it holds no runs", r->file);
    qsort(r->row, r->rows, sizeof *r->row, by_place);
    CompareReached reached = {0, 0};
    if (r->columns.steps && compare_reach(r, &reached, e)) return e->code;
    int64_t *seed = distinct(r, false, &seeds), *block = distinct(r, true, &blocks);
    int *runs = mem_alloc((size_t)r->arms, sizeof *runs), most = 0;
    Rc rc = check_grid(r, seed, seeds, block, blocks, e);
    if (!rc) most = count_runs(r, blocks, runs);
    for (int arm = 0; !rc && arm < r->arms; arm++)
        if (!runs[arm]) rc = error_set(e, RC_USAGE, "%.600s: arm '%s' has no run", r->file, r->arm[arm]);
    if (!rc && r->arms > 1 && (double)(r->arms - 1) * most > COMPARE_MOST_NUMBERS)
        rc = error_set(e, RC_USAGE, "%.600s: %d arms of %d seeds: comparisons times seeds may be %d at most", r->file,
                       r->arms, most, COMPARE_MOST_NUMBERS);
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
    free(seed);
    free(block);
    return rc;
}

void compare_rows_release(CompareRows *r) {
    for (int i = 0; i < r->arms; i++) free(r->arm[i]);
    for (int i = 0; i < r->corpora; i++) free(r->corpus[i]);
    free(r->arm);
    free(r->corpus);
    free(r->row);
    free(r->runs);
    free(r->read_as);
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
    free(d->columns);
    *d = (CompareData){0};
}

Rc compare_rows_read(CompareRows *r, const char *bytes, size_t length, Error *e) {
    char *copy = memcpy(mem_alloc(length + 1, 1), bytes, length);
    Rc rc = plain_text(&copy, &length, e) ? error_prefix(e, "%.600s: ", r->file) : RC_OK;
    size_t start = strspn(copy, " \t\r\n");
    if (!rc && start == length)
        rc = error_set(e, RC_USAGE, "%.600s: empty", r->file);
    else if (!rc && (copy[start] == '{' || copy[start] == '['))
        rc = compare_records(r, copy, length, e);
    else if (!rc)
        rc = compare_csv(r, copy, length, e);
    free(copy);
    return rc;
}

Rc compare_parse(CompareData *d, const char *name, CompareColumns columns, const char *bytes, size_t length, Error *e) {
    CompareCorpora all;
    *d = (CompareData){0};
    if (compare_corpora_parse(&all, name, columns, bytes, length, e)) return e->code;
    if (all.corpora > 1)
        error_set(e, RC_USAGE, "%.600s: runs of %d corpora where one is compared", name, all.corpora);
    else
        *d = all.of[0], all.of[0] = (CompareData){0};
    Rc rc = all.corpora > 1 ? e->code : RC_OK;
    compare_corpora_release(&all);
    return rc;
}
