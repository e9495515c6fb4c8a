/* From a file's numbers to comparisons. */
#include "bench/compare/compare.h"

#include <math.h>
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
static void order(const CompareData *d, size_t first, const double *values, size_t n, SampleArm *a) {
    OWNED double *x = mem_alloc(n, sizeof *x);
    for (size_t s = 0; s < n; s++) x[s] = d->diverged[first + s] ? (double)INFINITY : values[s];
    qsort(x, n, sizeof *x, st_compare_double);
    a->least = x[0], a->most = x[n - 1];
    a->median = (x[(n - 1) / 2] + x[n / 2]) / 2;
}

static void arm_alone(CompareResult *r, int arm) {
    const CompareData *d = r->data;
    CompareArm *a = &r->arm[arm];
    size_t n = (size_t)d->runs[arm], first = (size_t)arm * (size_t)d->seeds, stalled = 0;
    OWNED double *x = mem_alloc(n, sizeof *x);
    for (size_t s = 0; s < n; s++) {
        x[s] = d->diverged[first + s] ? r->options.cap : d->value[first + s];
        stalled += r->stalled && r->stalled[first + s];
    }
    a->all = runs_summary(x, d->diverged + first, (int)n);
    a->stalled = st_cp(stalled, r->stalled ? n : 0, .95);
    a->iqm = st_iqm(x, n);
    if (d->steps) order(d, first, x, n, &a->all);
}

/* 0 where all resamples of every comparison can be counted. */
static size_t boot_draws(const CompareData *d) {
    size_t n = (size_t)d->seeds, count = (size_t)d->arms - 1;
    if (n <= ST_BOOT_EXACT_MAX && (double)count * (double)st_multiset_count(n) <= EXACT_MULTISETS) return 0;
    if (count * n <= BOOT_NUMBERS) return ST_BOOT_DRAWS;
    double fewer = BOOT_WORK / (double)(count * n);
    return fewer > BOOT_FEWER ? BOOT_FEWER : fewer < BOOT_FEWEST ? BOOT_FEWEST : (size_t)fewer;
}

void compare_pair(const Family *f, Comparison *c, const CompareData *d, const bool *stalled, PairedRuns runs) {
    size_t seeds = (size_t)d->seeds;
    OWNED const double **block = mem_alloc(2 * seeds, sizeof *block);
    runs.n = d->seeds, runs.seed = d->seed, runs.arms = 2, runs.blocks = d->block ? d->blocks : 0;
    for (size_t k = 0; k < 2; k++) {
        const Term *t = &c->what.term[k];
        size_t first = (size_t)t->arm * seeds;
        for (size_t s = 0; s < seeds && d->block; s++)
            block[k * seeds + s] = d->block + (first + s) * (size_t)d->blocks;
        runs.arm[k] = (PairedArm){.n = d->runs[t->arm],
                                  .weight = t->weight,
                                  .value = d->value + first,
                                  .diverged = d->diverged + first,
                                  .stalled = stalled ? stalled + first : NULL,
                                  .block = d->block ? block + k * seeds : NULL};
    }
    f->unpaired ? unpaired_make(f, c, &runs) : comparison_make(f, c, &runs);
}

void compare_together(Family *f) {
    f->unpaired ? unpaired_together(f) : family_together(f);
}

static void test_alone(void *context, int index) {
    CompareResult *r = context;
    Comparison *c = &r->family.at[index];
    const CompareData *d = r->data;
    int at = index + (index >= r->baseline);
    const char *arm = d->arm[at], *baseline = d->arm[r->baseline];
    c->what = contrast_pair(0, 0, (Metric)0, at, r->baseline, r->options.margin);
    compare_pair(&r->family, c, d, r->stalled,
                 (PairedRuns){.cap = r->options.cap,
                              .higher = r->options.higher,
                              .flip = key_of(d->unpaired ? "relabel" : "seeds", arm, baseline),
                              .ranks = key_of(d->unpaired ? "relabel ranks" : "ranks", arm, baseline),
                              .boot = key_of("bootstrap", arm, baseline),
                              .pigeonhole = key_of("pigeonhole", arm, baseline)});
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
    r->looks_status = st_looks(o->look, (size_t)o->looks, r->alpha, r->look);
    if (r->looks_status == ST_BAD_ARG) return error_set(e, RC_USAGE, "--looks: seed counts must rise, from 1 on");
    LOCAL_TEXT(list);
    for (int i = 0; i < o->looks; i++) {
        text_format(&list, "%s%zu", i ? ", " : "", o->look[i]);
        if (o->look[i] == (size_t)r->family.n) r->this_look = i;
    }
    if (r->this_look < 0)
        error_set(e, RC_USAGE, "--looks: the file has %d seeds, which is not one of the looks (%.400s)", r->family.n,
                  list.at);
    else
        r->family.alpha = r->look[r->this_look].alpha, r->family.conf = 1 - r->family.alpha;
    return r->this_look < 0 ? e->code : RC_OK;
}

double compare_confidence(const CompareResult *r) {
    if (r->this_look < 0) return r->options.conf;
    double unit = pow(10, floor(log10(r->family.alpha)) - 1);
    return 1 - unit * ceil(r->family.alpha / unit - 1e-9);
}

Rc compare_number(const char *option, const char *text, double *out, Error *e) {
    if (parse_real(text, out) && fabs(*out) <= COMPARE_LARGEST) return RC_OK;
    return error_set(e, RC_USAGE, "%s: '%.60s' is not a number up to %g", option, text, COMPARE_LARGEST);
}

Rc compare_find_baseline(const CompareData *d, const char *name, int *out, Error *e) {
    char hint[160];
    *out = 0;
    while (name && *out < d->arms && strcmp(d->arm[*out], name) != 0) ++*out;
    if (*out < d->arms) return RC_OK;
    return error_set(e, RC_USAGE, "--baseline: there is no arm '%.200s'%s", name,
                     did_you_mean(hint, sizeof hint, name, (const char *const *)d->arm, (size_t)d->arms));
}

Rc compare_check_cap(const CompareData *d, double cap, bool higher, Error *e) {
    const char *usual = d->steps ? "more steps than any run has" : "ln of the vocabulary's size, for a loss in nats";
    double best = (double)NAN;
    int at = 0;
    if (!d->lost) return RC_OK;
    if (isnan(cap))
        return error_set(e, RC_USAGE, "%s diverged: --cap VALUE says what a diverged run counts as (usually %s)",
                         d->first_lost, usual);
    for (int i = 0; i < d->arms * d->seeds; i++)
        if (there(d, i) && !d->diverged[i] && !(higher ? d->value[i] <= best : d->value[i] >= best))
            best = d->value[at = i];
    if (isnan(best) || (higher ? cap < best : cap > best)) return RC_OK;
    return error_set(e, RC_USAGE,
                     "--cap %s: a diverged run would count as good as the best that finished (%s, seed %llu of arm "
                     "'%.80s') or better; usually it is %s",
                     FORMAT_REAL(cap), FORMAT_REAL(best), (unsigned long long)d->seed[at], d->arm[at / d->seeds],
                     usual);
}

static Rc check(CompareResult *r, Error *e) {
    const CompareData *d = r->data;
    if (d->arms < 2) return error_set(e, RC_UNMEASURED, "nothing to compare: '%s' is the only arm", d->arm[0]);
    if (d->steps && !isnan(r->options.stall))
        return error_set(e, RC_USAGE, "--stall is a bound of values, and --target compares steps");
    if (compare_check_cap(d, r->options.cap, r->options.higher, e)) return e->code;
    if (r->options.anytime && d->seeds > ANYTIME_LARGEST)
        return error_set(e, RC_USAGE, "--anytime: %d seeds; %d at most", d->seeds, ANYTIME_LARGEST);
    if (compare_find_baseline(d, r->options.baseline, &r->baseline, e)) return e->code;
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

double compare_alpha(double conf) {
    return round(1e12 * (1 - conf)) / 1e12;
}

int compare_fewest_runs(const CompareData *d) {
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
                    .n = compare_fewest_runs(d),
                    .joint_key = {.plan = plan, .stream = name_stream("family")},
                    .ranks_key = {.plan = plan, .stream = name_stream("family ranks")}};
}

Rc compare_make(CompareResult *r, const CompareData *data, const CompareOptions *options, int threads, Error *e) {
    *r = (CompareResult){.data = data, .options = *options, .family = family_of(data, options)};
    r->alpha = compare_alpha(options->conf);
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
    pool_run(threads, r->family.count, test_alone, r);
    if (!options->anytime) omnibus(r);
    if (options->progress && !options->anytime) progress_state(options->progress, "all comparisons together");
    if (r->options.anytime && r->options.anytime < r->family.n) r->options.anytime = r->family.n;
    r->options.anytime ? anytime_decide(&r->family, r->options.anytime) : compare_together(&r->family);
    if (options->progress) progress_add(options->progress, r->family.count, false);
    return RC_OK;
}

void compare_release(CompareResult *r) {
    family_release(&r->family);
    free(r->arm);
    free(r->stalled);
    *r = (CompareResult){0};
}

Rc compare_exit(const CompareResult *r) {
    return comparisons_gate(r->family.at, r->family.count, NULL, &r->options.fail);
}

int compare_gate_more(const CompareResult *r, const Comparison *c) {
    enum { MOST = 1000 };
    if (!r->options.fail.by || r->data->unpaired || !c->t_decides || c->t.status != ST_OK || !(c->t.sd > 0)) return 0;
    double worse = r->options.higher ? -c->t.mean : c->t.mean, apart = fabs(worse - r->options.fail.more);
    StPower need = st_flip_nfor(apart / c->t.sd, PAIRED_POWER_AIM, r->family.alpha);
    bool known = need.status == ST_OK && need.n > (size_t)r->family.n && need.n - (size_t)r->family.n <= MOST;
    return known ? (int)(need.n - (size_t)r->family.n) : 0;
}
