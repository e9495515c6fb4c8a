/* From a file's numbers to comparisons. */
#include "bench/compare/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pool.h"
#include "bench/verdict/unpaired.h"
#include "bench/verdict/words.h"
#include "stats/resample.h"

/* Beyond these a statistic takes minutes: it is then made with fewer draws, or left out with a reason. */
#define EXACT_MULTISETS 3e7 /* comparisons times multisets of the exact bootstrap */
#define BOOT_NUMBERS 2000   /* comparisons times seeds that get all ST_BOOT_DRAWS */
#define BOOT_FEWER 10000
#define BOOT_FEWEST 1000
#define BOOT_WORK 1e8        /* numbers drawn */
#define OMNIBUS_NUMBERS 2000 /* arms times seeds */

const char *compare_word(const CompareResult *r, Decision decision) {
    return decision_code(decision, r->options.higher);
}

void compare_words(const CompareResult *r, const Comparison *c, Decision decision, Text *out) {
    decision_words(&r->family, c, decision, r->options.higher ? 1 : -1, r->data->arm[r->baseline], out);
}

double compare_share_better(const CompareResult *r, const Comparison *c) {
    return r->options.higher ? 1 - c->effect.better : c->effect.better;
}

const char *compare_arm_name(const CompareResult *r, const Comparison *c) {
    return r->data->arm[c->what.term[0].arm];
}

/* Random numbers depend on what is compared, never on the order of arms or threads. */
static StKey key_of(const char *what, const char *arm, const char *baseline) {
    LOCAL_TEXT(name);
    text_format(&name, "%s: %s - %s", what, arm, baseline);
    StKey key = {.plan = name_stream("normbench compare"), .stream = name_stream(name.at)};
    return key;
}

/* Whether there is such a run; arms without common seeds may have fewer. */
static bool there(const CompareData *d, int run) {
    return run % d->seeds < d->runs[run / d->seeds];
}

static void find_stalled(CompareResult *r) {
    const CompareData *d = r->data;
    double bound = r->options.stall;
    if (isnan(bound)) return;
    r->stalled = mem_alloc((size_t)d->arms * (size_t)d->seeds, sizeof *r->stalled);
    for (int i = 0; i < d->arms * d->seeds; i++)
        r->stalled[i] = d->diverged[i] || (r->options.higher ? d->value[i] <= bound : d->value[i] >= bound);
}

/* The middle and the ends, diverged runs behind all others. x: [n], written over. */
static void order(const CompareData *d, size_t first, const double *values, size_t n, CompareArm *a) {
    OWNED double *x = mem_alloc(n, sizeof *x);
    for (size_t s = 0; s < n; s++) x[s] = d->diverged[first + s] ? (double)INFINITY : values[s];
    qsort(x, n, sizeof *x, st_compare_double);
    a->least = x[0], a->most = x[n - 1];
    a->median = (x[(n - 1) / 2] + x[n / 2]) / 2;
}

static void arm_alone(CompareResult *r, int arm) {
    const CompareData *d = r->data;
    CompareArm *a = &r->arm[arm];
    size_t lost = 0, n = (size_t)d->runs[arm], first = (size_t)arm * (size_t)d->seeds;
    double *x = mem_alloc(n, sizeof *x), sum = 0;
    for (size_t s = 0; s < n; s++) {
        bool diverged = d->diverged[first + s];
        x[s] = diverged ? r->options.cap : d->value[first + s];
        lost += diverged;
        if (!diverged) sum += x[s];
    }
    a->mean = a->sd = (double)NAN;
    a->survivors = lost && lost < n ? sum / (double)(n - lost) : (double)NAN;
    a->rate = st_cp(lost, n, .95);
    size_t stalled = 0;
    for (size_t s = 0; s < n && r->stalled; s++) stalled += r->stalled[first + s];
    a->stalled = st_cp(stalled, r->stalled ? n : 0, .95);
    a->iqm = st_iqm(x, n);
    order(d, first, x, n, a);
    StSample sample;
    a->status = st_sample_init(&sample, x, n, 0);
    if (!a->status) {
        a->mean = st_sample_mean(&sample);
        if (n > 1) a->sd = st_sample_sd(&sample);
        st_sample_release(&sample);
    }
    free(x);
}

/* 0 where all resamples of every comparison can be counted. */
static size_t boot_draws(const CompareData *d) {
    size_t n = (size_t)d->seeds, count = (size_t)d->arms - 1;
    if (n <= ST_BOOT_EXACT_MAX && (double)count * (double)st_multiset_count(n) <= EXACT_MULTISETS) return 0;
    if (count * n <= BOOT_NUMBERS) return ST_BOOT_DRAWS;
    double fewer = BOOT_WORK / (double)(count * n);
    return fewer > BOOT_FEWER ? BOOT_FEWER : fewer < BOOT_FEWEST ? BOOT_FEWEST : (size_t)fewer;
}

/* An arm's numbers; block: [seeds], where its blocks begin. */
static PairedArm arm_of(const CompareResult *r, int arm, double weight, const double **block) {
    const CompareData *d = r->data;
    size_t first = (size_t)arm * (size_t)d->seeds;
    for (int s = 0; s < d->seeds && d->blocks; s++) block[s] = d->block + (first + (size_t)s) * (size_t)d->blocks;
    return (PairedArm){.weight = weight,
                       .value = d->value + first,
                       .diverged = d->diverged + first,
                       .stalled = r->stalled ? r->stalled + first : NULL,
                       .block = d->blocks ? block : NULL};
}

static void test_alone(void *context, int index) {
    CompareResult *r = context;
    Comparison *c = &r->family.at[index];
    const CompareData *d = r->data;
    int seeds = d->seeds, at = index + (index >= r->baseline);
    const char *arm = d->arm[at], *baseline = d->arm[r->baseline];
    OWNED const double **block = mem_alloc(2 * (size_t)seeds, sizeof *block);
    c->what = contrast_pair(0, 0, (Metric)0, at, r->baseline, r->options.margin);
    PairedRuns in = {.n = seeds,
                     .seed = d->seed,
                     .arm = {arm_of(r, at, 1, block), arm_of(r, r->baseline, -1, block + seeds)},
                     .arms = 2,
                     .blocks = d->blocks,
                     .cap = r->options.cap,
                     .higher = r->options.higher,
                     .flip = key_of("seeds", arm, baseline),
                     .ranks = key_of("ranks", arm, baseline),
                     .boot = key_of("bootstrap", arm, baseline),
                     .pigeonhole = key_of("pigeonhole", arm, baseline)};
    comparison_make(&r->family, c, &in);
    if (r->options.progress) progress_add(r->options.progress, 1, false);
}

static UnpairedArm unpaired_arm(const CompareResult *r, int arm) {
    const CompareData *d = r->data;
    size_t first = (size_t)arm * (size_t)d->seeds;
    return (UnpairedArm){.n = d->runs[arm],
                         .value = d->value + first,
                         .diverged = d->diverged + first,
                         .stalled = r->stalled ? r->stalled + first : NULL};
}

static void test_unpaired(void *context, int index) {
    CompareResult *r = context;
    Comparison *c = &r->family.at[index];
    int at = index + (index >= r->baseline);
    const char *arm = r->data->arm[at], *baseline = r->data->arm[r->baseline];
    c->what = contrast_pair(0, 0, (Metric)0, at, r->baseline, r->options.margin);
    UnpairedRuns in = {.a = unpaired_arm(r, at),
                       .b = unpaired_arm(r, r->baseline),
                       .cap = r->options.cap,
                       .higher = r->options.higher,
                       .relabel = key_of("relabel", arm, baseline),
                       .ranks = key_of("relabel ranks", arm, baseline),
                       .boot = key_of("bootstrap", arm, baseline)};
    unpaired_make(&r->family, c, &in);
    if (r->options.progress) progress_add(r->options.progress, 1, false);
}

/* Is this the seed count of a look, and what may it spend? */
static Rc read_looks(CompareResult *r, Error *e) {
    const CompareOptions *o = &r->options;
    r->this_look = -1;
    r->family.alpha = r->alpha;
    if (!o->looks) return RC_OK;
    if (r->data->unpaired)
        return error_set(e, RC_USAGE, "--looks gives seed counts of pairs, so it does not go with --unpaired");
    r->looks_status = st_looks(o->look, (size_t)o->looks, r->alpha, true, r->look);
    if (r->looks_status == ST_BAD_ARG) return error_set(e, RC_USAGE, "--looks: seed counts must rise, from 1 on");
    LOCAL_TEXT(list);
    for (int i = 0; i < o->looks; i++) {
        text_format(&list, "%s%zu", i ? ", " : "", o->look[i]);
        if (o->look[i] == (size_t)r->n) r->this_look = i;
    }
    if (r->this_look < 0)
        error_set(e, RC_USAGE, "--looks: the file has %d seeds, which is not one of the looks (%.400s)", r->n, list.at);
    else
        r->family.alpha = r->look[r->this_look].alpha;
    return r->this_look < 0 ? e->code : RC_OK;
}

static Rc find_baseline(CompareResult *r, Error *e) {
    const CompareData *d = r->data;
    const char *name = r->options.baseline;
    char hint[160] = "";
    r->baseline = 0;
    if (!name) return RC_OK;
    for (r->baseline = 0; r->baseline < d->arms; r->baseline++)
        if (!strcmp(d->arm[r->baseline], name)) return RC_OK;
    const char *near = nearest_name(name, (const char *const *)d->arm, (size_t)d->arms);
    if (near) snprintf(hint, sizeof hint, "; did you mean '%.140s'?", near);
    return error_set(e, RC_USAGE, "--baseline: the file has no arm '%.200s'%s", name, hint);
}

/* A diverged run may not count as good as the best run that finished: then divergence could win. */
static Rc check_cap(const CompareResult *r, Error *e) {
    const CompareData *d = r->data;
    double cap = r->options.cap, best = (double)NAN;
    int at = 0;
    for (int i = 0; i < d->arms * d->seeds; i++)
        if (there(d, i) && !d->diverged[i] && !(r->options.higher ? d->value[i] <= best : d->value[i] >= best))
            best = d->value[at = i];
    bool sound = isnan(best) || (r->options.higher ? cap < best : cap > best);
    if (!d->lost || sound) return RC_OK;
    return error_set(e, RC_USAGE,
                     "--cap %s: a diverged run would count as good as the best that finished (%s, seed %llu of arm "
                     "'%.80s') or better; for a loss in nats the cap is ln of the vocabulary's size",
                     FORMAT_REAL(cap), FORMAT_REAL(best), (unsigned long long)d->seed[at], d->arm[at / d->seeds]);
}

static Rc check(CompareResult *r, Error *e) {
    const CompareData *d = r->data;
    if (d->arms < 2) return error_set(e, RC_UNMEASURED, "nothing to compare: '%s' is the only arm", d->arm[0]);
    if (d->steps && !isnan(r->options.stall))
        return error_set(e, RC_USAGE, "--stall is a bound of values, and --target compares steps");
    if (d->lost && isnan(r->options.cap))
        return error_set(e, RC_USAGE,
                         "%s diverged: --cap VALUE says what a diverged run counts as (for a loss in nats ln of the "
                         "vocabulary's size, that of a uniform guess)",
                         d->first_lost);
    if (r->options.anytime && d->seeds > ANYTIME_LARGEST)
        return error_set(e, RC_USAGE, "--anytime: %d seeds; %d at most", d->seeds, ANYTIME_LARGEST);
    if (find_baseline(r, e) || check_cap(r, e)) return e->code;
    return read_looks(r, e);
}

static void omnibus(CompareResult *r) {
    const CompareData *d = r->data;
    size_t runs = (size_t)d->arms * (size_t)d->seeds;
    r->omnibus.status = ST_BAD_ARG;
    if (d->unpaired) return;
    if (runs > OMNIBUS_NUMBERS) {
        r->no_omnibus = "more than 2000 runs: relabelling them takes too long";
        return;
    }
    OWNED double *x = mem_alloc(runs, sizeof *x);
    for (size_t i = 0; i < runs; i++) x[i] = d->diverged[i] ? r->options.cap : d->value[i];
    r->omnibus = st_omnibus(x, (size_t)d->arms, (size_t)d->seeds, key_of("omnibus", "all", "all"));
}

static int fewest_runs(const CompareData *d) {
    int n = d->seeds;
    for (int arm = 0; arm < d->arms; arm++) n = d->runs[arm] < n ? d->runs[arm] : n;
    return n;
}

static Family family_of(const CompareData *d, const CompareOptions *o) {
    uint64_t plan = name_stream("normbench compare");
    return (Family){.tests = PAIRED_T | PAIRED_FLIP | PAIRED_WILCOXON | PAIRED_BOOT | PAIRED_EFFECT | PAIRED_TOST |
                             PAIRED_POWER | PAIRED_DIVERGED | PAIRED_VARIANCE | PAIRED_LEVENE | PAIRED_CROSSED |
                             PAIRED_JOIN | PAIRED_RANKS | PAIRED_INTERVAL | PAIRED_LEAVE | PAIRED_CHANCE,
                    .conf = o->conf,
                    .unpaired = d->unpaired,
                    .n = fewest_runs(d),
                    .joint_key = {.plan = plan, .stream = name_stream("family")},
                    .ranks_key = {.plan = plan, .stream = name_stream("family ranks")}};
}

/* In the place of all tests of a fixed number of seeds. */
static void watch(CompareResult *r) {
    r->anytime = mem_alloc((size_t)r->family.count, sizeof *r->anytime);
    if (r->options.anytime < r->n) r->options.anytime = r->n;
    anytime_make(&r->family, r->options.anytime, r->anytime);
    if (r->options.progress) progress_add(r->options.progress, r->family.count, false);
    for (int i = 0; i < r->family.count; i++) r->family.at[i].decision = r->anytime[i].decision;
}

Rc compare_make(CompareResult *r, const CompareData *data, const CompareOptions *options, int threads, Error *e) {
    *r = (CompareResult){.data = data, .options = *options, .n = fewest_runs(data), .family = family_of(data, options)};
    r->alpha = round(1e12 * (1 - options->conf)) / 1e12;
    if (data->steps) { /* fewer are better, and a run that never gets there comes behind the last step */
        r->options.higher = false;
        if (isnan(options->cap)) r->options.cap = data->last + 1;
    }
    if (check(r, e)) {
        *r = (CompareResult){0};
        return e->code;
    }
    st_init();
    r->family.draws = boot_draws(data);
    if (options->anytime) r->family.tests = PAIRED_DIVERGED;
    family_begin(&r->family, data->arms - 1);
    r->arm = mem_alloc((size_t)data->arms, sizeof *r->arm);
    find_stalled(r);
    for (int arm = 0; arm < data->arms; arm++) arm_alone(r, arm);
    pool_run(threads, r->family.count, data->unpaired ? test_unpaired : test_alone, r);
    if (!options->anytime) omnibus(r);
    if (options->anytime) {
        watch(r);
        return RC_OK;
    }
    if (options->progress) progress_state(options->progress, "all comparisons together");
    if (data->unpaired)
        unpaired_together(&r->family);
    else
        family_together(&r->family);
    if (options->progress) progress_add(options->progress, r->family.count, false);
    return RC_OK;
}

void compare_release(CompareResult *r) {
    family_release(&r->family);
    free(r->anytime);
    free(r->arm);
    free(r->stalled);
    *r = (CompareResult){0};
}

Rc compare_exit(const CompareResult *r) {
    const FailOn f = {r->options.fail_by, r->options.fail_more};
    return comparisons_gate(r->family.at, r->family.count, NULL, &f);
}

int compare_gate_more(const CompareResult *r, const Comparison *c) {
    enum { MOST = 1000 };
    if (!r->options.fail_by || r->data->unpaired || !c->t_decides || c->t.status != ST_OK || !(c->t.sd > 0)) return 0;
    double worse = r->options.higher ? -c->t.mean : c->t.mean, apart = fabs(worse - r->options.fail_more);
    StPower need = st_flip_nfor(apart / c->t.sd, PAIRED_POWER_AIM, r->family.alpha);
    bool known = need.status == ST_OK && need.n > (size_t)r->n && need.n - (size_t)r->n <= MOST;
    return known ? (int)(need.n - (size_t)r->n) : 0;
}
