/* Which runs are pairs: seeds, runs that are there twice, partners of runs that are left out. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "bench/readers/guess.h"
#include "bench/readers/pick.h"
#include "bench/readers/readers.h"

enum { SERIES_LEAST = 3 /* points that are no chance when they are equal */ };

static bool same_series(const LogSeries *a, const LogSeries *b) {
    bool moves = false;
    if (a->count != b->count || a->count < SERIES_LEAST) return false;
    for (size_t i = 0; i < a->count; i++) {
        if (a->at[i].step != b->at[i].step || a->at[i].value != b->at[i].value) return false;
        moves |= a->at[i].value != a->at[0].value;
    }
    return moves;
}

/* The same numbers at every step: one run, copied. */
static void leave_copies(Pick *p) {
    for (int i = 0; i < p->runs; i++)
        for (int k = 0; k < i && !p->run[i].why; k++) {
            char one[900], two[900];
            PickedRun *a = &p->run[k], *b = &p->run[i];
            if (a->why || strcmp(a->corpus, b->corpus) != 0 || !same_series(a->series, b->series)) continue;
            if (!strcmp(a->arm, b->arm))
                pick_leave(b, "its numbers are those of %.400s, step by step", log_called(one, sizeof one, a->log));
            else
                pick_remark(p, "Careful: %.300s and %.300s have the same numbers, in arms %.80s and %.80s.",
                            log_called(one, sizeof one, a->log), log_called(two, sizeof two, b->log), a->arm, b->arm);
        }
}

static Rc check_twice(const Pick *p, Error *e) {
    for (int i = 0; i < p->runs; i++)
        for (int k = 0; k < i; k++) {
            const PickedRun *a = &p->run[k], *b = &p->run[i];
            char one[900], two[900];
            if (a->why || b->why || !a->seed[0] || strcmp(a->seed, b->seed) != 0) continue;
            if (strcmp(a->arm, b->arm) != 0 || strcmp(a->corpus, b->corpus) != 0) continue;
            return error_set(e, RC_USAGE,
                             "seed %.60s of arm '%.80s' is there twice: %.300s and %.300s; --where or a "
                             "narrower --name chooses",
                             b->seed, b->arm, log_called(one, sizeof one, a->log), log_called(two, sizeof two, b->log));
        }
    return RC_OK;
}

static int by_label(const void *x, const void *y) {
    return strverscmp(*(const char *const *)x, *(const char *const *)y);
}

static const char **seeds_of(const Pick *p, int *count) {
    const char **list = mem_alloc((size_t)p->runs + 1, sizeof *list);
    *count = 0;
    for (int i = 0; i < p->runs; i++) {
        bool there = p->run[i].why != NULL;
        for (int k = 0; k < *count && !there; k++) there = !strcmp(list[k], p->run[i].seed);
        if (!there) list[(*count)++] = p->run[i].seed;
    }
    qsort(list, (size_t)*count, sizeof *list, by_label);
    return list;
}

/* Numbers of the seeds: as they are written, or their places where some is no number. */
static void number(Pick *p) {
    int count;
    OWNED const char **seed = seeds_of(p, &count);
    int64_t x;
    bool numbers = true;
    for (int i = 0; i < count; i++) numbers &= parse_whole(seed[i], &x) && x >= 0;
    LOCAL_TEXT(said);
    for (int k = 0; k < count && !numbers; k++) text_format(&said, "%s%.60s = %d", k ? ", " : "", seed[k], k + 1);
    if (!numbers && said.length < 900) pick_remark(p, "Pairs: %s.", said.at);
    for (int i = 0; i < p->runs; i++)
        for (int k = 0; k < count; k++) {
            if (strcmp(p->run[i].seed, seed[k]) != 0) continue;
            if (!numbers || !parse_whole(seed[k], &p->run[i].number)) p->run[i].number = k + 1;
        }
}

static void count_runs(Pick *p) {
    for (int i = 0; i < p->runs; i++) {
        int64_t n = 1;
        if (p->run[i].why) continue;
        for (int k = 0; k < i; k++)
            n += !p->run[k].why && !strcmp(p->run[k].arm, p->run[i].arm) && !strcmp(p->run[k].corpus, p->run[i].corpus);
        p->run[i].number = n;
    }
}

/* Whether an arm has a used run of a seed on a corpus. */
static bool has(const Pick *p, const char *arm, const char *seed, const char *corpus) {
    for (int i = 0; i < p->runs; i++) {
        const PickedRun *run = &p->run[i];
        if (!run->why && !strcmp(run->arm, arm) && !strcmp(run->seed, seed) && !strcmp(run->corpus, corpus))
            return true;
    }
    return false;
}

/* The arm without a usable run of this seed and corpus; NULL: all have one. */
static const char *lacking(const Pick *p, const char *const *arm, int arms, const char *seed, const char *corpus) {
    for (int a = 0; a < arms; a++)
        if (!has(p, arm[a], seed, corpus)) return arm[a];
    return NULL;
}

/* Leaves out what has no partner in every arm, then corpora that lack a pair that another has. */
static void leave_partners(Pick *p) {
    int arms;
    OWNED const char **arm = pick_labels(p, true, true, &arms);
    OWNED const char **why = mem_alloc((size_t)p->runs + 1, sizeof *why);
    for (int i = 0; i < p->runs; i++)
        if (!p->run[i].why) why[i] = lacking(p, arm, arms, p->run[i].seed, p->run[i].corpus);
    for (int i = 0; i < p->runs; i++)
        if (why[i])
            pick_leave(&p->run[i], "arm %.80s has no run of its seed%s%.80s that can be used", why[i],
                       p->run[i].corpus[0] ? " on " : "", p->run[i].corpus);
}

static void leave_corpora(Pick *p) {
    int corpora, seeds;
    OWNED const char **corpus = pick_labels(p, false, true, &corpora), **seed = seeds_of(p, &seeds);
    for (int c = 0; c < corpora; c++) {
        const char *lacks = NULL;
        for (int s = 0; s < seeds && !lacks; s++) {
            bool there = false;
            for (int i = 0; i < p->runs; i++)
                there |= !p->run[i].why && !strcmp(p->run[i].corpus, corpus[c]) && !strcmp(p->run[i].seed, seed[s]);
            if (!there) lacks = seed[s];
        }
        for (int i = 0; i < p->runs && lacks; i++)
            if (!strcmp(p->run[i].corpus, corpus[c]))
                pick_leave(&p->run[i], "corpus %.80s has no pair of seed %.60s", corpus[c], lacks);
    }
}

/* Equal numbers that stand for unlike random states: "study_0" with another rng_seed in each arm. */
static bool unlike_states(Pick *p, bool say) {
    static const char *const keys[] = {"rng_seed", "seed", "random_seed"};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        for (int i = 0; i < p->runs; i++)
            for (int j = 0; j < i; j++) {
                const PickedRun *a = &p->run[j], *b = &p->run[i];
                if (a->why || b->why || strcmp(a->seed, b->seed) != 0 || !strcmp(a->arm, b->arm)) continue;
                const char *x = log_setting_of(a->log, keys[k]), *y = log_setting_of(b->log, keys[k]);
                if (!x || !y || !strcmp(x, y)) continue;
                if (say)
                    pick_remark(
                        p,
                        "Careful: seed %.60s has %s %.40s in arm %.80s and %.40s in arm %.80s: equal numbers, no "
                        "pairs; --unpaired compares such runs.",
                        a->seed, keys[k], x, a->arm, y, b->arm);
                return true;
            }
    return false;
}

/* Values of a setting among an arm's used runs: how many there are, and how many runs. */
static int values_of(const Pick *p, const char *arm, const char *key, int *runs) {
    const char *value[64];
    int count = 0;
    *runs = 0;
    for (int i = 0; i < p->runs; i++) {
        const char *v = p->run[i].why || strcmp(p->run[i].arm, arm) != 0 ? NULL : log_setting_of(p->run[i].log, key);
        bool there = !v || count == 64;
        *runs += v != NULL;
        for (int k = 0; k < count && !there; k++) there = !strcmp(value[k], v);
        if (!there) value[count++] = v;
    }
    return count;
}

/* Whether a setting is a result: a number, called as metrics are. */
static bool is_result(const LogSetting *s) {
    double x;
    static const char *const of[] = {"loss", "val", "train", "test", "eval", "dev"};
    size_t n = strlen(s->key);
    bool loss = false; /* not z_loss = 0.0001 */
    for (size_t i = 0; i < sizeof of / sizeof *of && n >= 4 && !strcasecmp(s->key + n - 4, "loss"); i++)
        loss |= !strncasecmp(s->key, of[i], strlen(of[i]));
    return (loss || guess_rising(s->key)) && log_number(s->value, &x);
}

/* A setting of few values that varies within an arm: several arms in one. */
static void say_mixed(Pick *p) {
    int arms, said = 0;
    OWNED const char **arm = pick_labels(p, true, true, &arms);
    for (int a = 0; a < arms && !said; a++) {
        const Log *log = NULL; /* evaluations differ in what they evaluate */
        for (int i = 0; i < p->runs && !log; i++)
            if (!p->run[i].why && !strcmp(p->run[i].arm, arm[a])) log = p->run[i].log;
        for (int k = 0; k < log->settings && !log->corpus[0] && said < 3; k++) {
            const char *key = log->setting[k].key;
            int runs, values = values_of(p, arm[a], key, &runs);
            if (values < 2 || 2 * values > runs || guess_about_run(key) || !strcmp(key, p->metric)) continue;
            if (is_result(&log->setting[k])) continue;
            pick_remark(
                p,
                "Careful: runs of arm %.80s differ in %.80s (%d values); --where or --column arm=KEY tells them apart.",
                arm[a], key, values);
            said++;
        }
    }
}

/* Arms of which nothing can be used. */
static void say_lost_arms(Pick *p) {
    int arms;
    OWNED const char **arm = pick_labels(p, true, false, &arms);
    for (int a = 0; a < arms; a++) {
        int runs = 0, used = 0;
        for (int i = 0; i < p->runs; i++)
            if (!strcmp(p->run[i].arm, arm[a])) runs++, used += !p->run[i].why;
        if (!used) pick_remark(p, "Careful: arm %.80s is left out: none of its %d runs can be used.", arm[a], runs);
    }
}

Rc pick_pairs(Pick *p, const PickQuery *q, Error *e) {
    bool seeds = true;
    for (int i = 0; i < p->runs; i++) seeds &= p->run[i].why || p->run[i].seed[0];
    p->seeds = seeds, p->unpaired = q->unpaired || !seeds;
    leave_copies(p);
    if (seeds && !q->list && check_twice(p, e)) return e->code;
    say_lost_arms(p);
    if (!p->unpaired) {
        leave_partners(p);
        leave_corpora(p);
        unlike_states(p, true);
    } else if (!q->unpaired && !q->list)
        pick_remark(p, "No seeds are known, so that runs are compared unpaired.");
    if (seeds)
        number(p);
    else
        count_runs(p);
    if (p->unpaired && unlike_states(p, false)) p->seeds = false; /* no pairs would be made of them */
    say_mixed(p);
    return RC_OK;
}
