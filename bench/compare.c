/* What every comparison says alone, and how all of them are read. */
#include "bench/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pool.h"
#include "stats/multiple.h"
#include "stats/resample.h"

/* Beyond these a statistic takes minutes: it is then made with fewer draws, or left out with a reason. */
#define EXACT_MULTISETS 3e7 /* comparisons times multisets of the exact bootstrap */
#define BOOT_NUMBERS 2000   /* comparisons times seeds that get all ST_BOOT_DRAWS */
#define BOOT_FEWER 10000
#define OMNIBUS_NUMBERS 2000 /* arms times seeds */
#define PIGEONHOLE_DRAWS 10000
#define PIGEONHOLE_WORK 1e9 /* comparisons times draws times seeds times blocks */

#define BLOCKS_ALIKE .1 /* autocorrelation of neighbours from which on blocks are joined */
#define POWER .8

const char *compare_verdict_name(CompareVerdict v) {
    static const char *const names[] = {[COMPARE_BETTER] = "better",
                                        [COMPARE_WORSE] = "worse",
                                        [COMPARE_EQUIVALENT] = "equivalent",
                                        [COMPARE_INCONCLUSIVE] = "inconclusive",
                                        [COMPARE_NOT_TESTABLE] = "not testable"};
    return names[v];
}

/* Random numbers depend on what is compared, never on the order of arms or threads. */
static StKey key_of(const char *what, const char *arm, const char *baseline) {
    Text name;
    text_init(&name);
    text_format(&name, "%s: %s - %s", what, arm, baseline);
    StKey key = {.plan = name_stream("normbench compare"), .stream = name_stream(name.at)};
    text_release(&name);
    return key;
}

static StRun *runs_of(const CompareData *d, int arm) {
    StRun *run = mem_alloc((size_t)d->seeds, sizeof *run);
    for (int s = 0; s < d->seeds; s++) {
        size_t at = (size_t)arm * (size_t)d->seeds + (size_t)s;
        run[s] = (StRun){d->seed[s], d->value[at], d->diverged[at] ? ST_RUN_DIVERGED : ST_RUN_OK};
    }
    return run;
}

static void arm_alone(CompareResult *r, int arm) {
    const CompareData *d = r->data;
    CompareArm *a = &r->arm[arm];
    double *x = mem_alloc((size_t)d->seeds, sizeof *x), sum = 0;
    StRun *run = runs_of(d, arm);
    size_t lost = 0, n = (size_t)d->seeds;
    for (size_t s = 0; s < n; s++) {
        bool diverged = run[s].state == ST_RUN_DIVERGED;
        x[s] = diverged ? r->options.cap : run[s].value;
        lost += diverged;
        if (!diverged) sum += x[s];
    }
    a->mean = a->sd = (double)NAN;
    a->survivors = lost && lost < n ? sum / (double)(n - lost) : (double)NAN;
    a->rate = st_cp(lost, n, .95);
    a->iqm = st_iqm(x, n);
    StSample sample;
    a->status = st_sample_init(&sample, x, n, 0);
    if (!a->status) {
        a->mean = st_sample_mean(&sample);
        if (n > 1) a->sd = st_sample_sd(&sample);
        st_sample_release(&sample);
    }
    free(run);
    free(x);
}

static StBoot bootstrap(const CompareResult *r, const CompareItem *c, StKey key) {
    const StPairs *p = &c->pairs;
    bool exact = p->n <= ST_BOOT_EXACT_MAX && (double)r->count * (double)st_multiset_count(p->n) <= EXACT_MULTISETS;
    if (exact) return st_boot_exact(p->d, p->n, p->scale, r->options.conf);
    size_t draws = (size_t)r->count * p->n <= BOOT_NUMBERS ? ST_BOOT_DRAWS : BOOT_FEWER;
    return st_boot_mc(p->d, p->n, p->scale, r->options.conf, draws, key);
}

/* New seeds and new text: blocks joined until neighbours differ as strangers do. */
static void cross(const CompareResult *r, CompareItem *c) {
    const CompareData *d = r->data;
    size_t seeds = (size_t)d->seeds, blocks = (size_t)d->blocks, all = seeds * blocks;
    c->crossed.status = c->pigeonhole.status = c->merged.status = ST_BAD_ARG;
    if (!blocks || !c->t_decides) return;
    double *x = mem_alloc(all, sizeof *x), *joined = mem_alloc(all, sizeof *joined);
    const double *a = d->block + (size_t)c->arm * all, *b = d->block + (size_t)r->baseline * all;
    for (size_t i = 0; i < all; i++) x[i] = a[i] - b[i];
    double scale = st_scale(a, b, all);
    c->merged = st_blocks_merge(x, seeds, blocks, BLOCKS_ALIKE, joined);
    bool usable = c->merged.status == ST_OK || c->merged.status == ST_NO_CONVERGENCE;
    if (usable) blocks = c->merged.blocks;
    const double *use = usable ? joined : x;
    c->crossed = st_crossed(use, seeds, blocks, scale, r->options.conf);
    double work = (double)r->count * PIGEONHOLE_DRAWS * (double)seeds * (double)blocks;
    if (work > PIGEONHOLE_WORK)
        c->no_pigeonhole = "too many blocks for 10000 draws";
    else
        c->pigeonhole = st_pigeonhole(use, seeds, blocks, scale, r->options.conf, PIGEONHOLE_DRAWS,
                                      key_of("pigeonhole", d->arm[c->arm], d->arm[r->baseline]));
    free(joined);
    free(x);
}

/* What these seeds could have found, and how many more it takes; the sd that all this rests on is itself uncertain. */
static void plan_seeds(const CompareResult *r, CompareItem *c) {
    double alpha = r->alpha_here, mean = c->t.mean;
    c->power.status = c->seeds_needed.status = c->seeds_least.status = c->seeds_most.status = c->detectable.status =
        c->sd.status = c->t.status;
    if (c->t.status != ST_OK) return;
    c->sd = st_sd_ci(c->t.sd, c->t.n, .95);
    c->power = st_power(mean / c->t.sd, c->t.n, alpha);
    c->detectable = st_mde(c->t.n, POWER, alpha);
    c->seeds_needed = st_nfor(mean / c->t.sd, POWER, alpha);
    c->seeds_least = st_nfor(mean / c->sd.lo, POWER, alpha);
    c->seeds_most = st_nfor(mean / c->sd.hi, POWER, alpha);
}

static void spread(CompareItem *c) {
    const StPairs *p = &c->pairs;
    c->levene = st_levene(p->a, p->n, p->b, p->n);
    c->pitman_morgan = st_pitman_morgan(p->a, p->b, p->n);
}

static void test_alone(void *context, int index) {
    CompareResult *r = context;
    CompareItem *c = &r->at[index];
    const CompareData *d = r->data;
    const char *arm = d->arm[c->arm], *baseline = d->arm[r->baseline];
    const StPairs *p = &c->pairs;
    StKey key = key_of("seeds", arm, baseline);
    StRun *a = runs_of(d, c->arm), *b = runs_of(d, r->baseline);
    double margin = isnan(r->options.margin) ? 0 : r->options.margin;
    c->pairs = st_pair(a, (size_t)d->seeds, b, (size_t)d->seeds, r->options.cap);
    free(a);
    free(b);
    c->t_decides = !p->lost_a && !p->lost_b;
    c->t = st_tci(p->d, p->n, p->scale, r->options.conf);
    c->flip = st_signflip(p->d, p->n, p->scale, ST_TWO_SIDED, key);
    c->wilcoxon = st_wilcoxon(p->d, p->n, p->scale, ST_TWO_SIDED, key_of("ranks", arm, baseline));
    c->boot = bootstrap(r, c, key_of("bootstrap", arm, baseline));
    c->effect = st_effect(p->a, p->b, p->n);
    c->share_better = r->options.higher ? 1 - c->effect.better : c->effect.better;
    c->tost.status = ST_BAD_ARG;
    if (margin > 0) c->tost = st_tost(p->d, p->n, p->scale, -margin, margin, r->alpha_here);
    c->mcnemar = st_mcnemar(p->only_a, p->only_b);
    c->fisher = st_fisher(p->lost_a, p->n - p->lost_a, p->lost_b, p->n - p->lost_b);
    spread(c);
    plan_seeds(r, c);
    cross(r, c);
}

/* Is this the seed count of a look, and what may it spend? */
static Rc read_looks(CompareResult *r, Error *e) {
    const CompareOptions *o = &r->options;
    r->this_look = -1;
    r->alpha_here = r->alpha;
    if (!o->looks) return RC_OK;
    r->looks_status = st_looks(o->look, (size_t)o->looks, r->alpha, true, r->look);
    if (r->looks_status == ST_BAD_ARG) return error_set(e, RC_USAGE, "--looks: seed counts must rise, from 1 on");
    Text list;
    text_init(&list);
    for (int i = 0; i < o->looks; i++) {
        text_format(&list, "%s%zu", i ? ", " : "", o->look[i]);
        if (o->look[i] == (size_t)r->n) r->this_look = i;
    }
    if (r->this_look < 0)
        error_set(e, RC_USAGE, "--looks: the file has %d seeds, which is not one of the looks (%.400s)", r->n, list.at);
    else
        r->alpha_here = r->look[r->this_look].alpha;
    text_release(&list);
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

static Rc check(CompareResult *r, Error *e) {
    const CompareData *d = r->data;
    if (d->arms < 2) return error_set(e, RC_UNMEASURED, "nothing to compare: '%s' is the only arm", d->arm[0]);
    if (d->lost && isnan(r->options.cap))
        return error_set(e, RC_USAGE,
                         "%s diverged: --cap VALUE says what a diverged run counts as (for a loss in nats ln of the "
                         "vocabulary's size, the uniform predictor's)",
                         d->first_lost);
    if (find_baseline(r, e)) return e->code;
    return read_looks(r, e);
}

static void omnibus(CompareResult *r) {
    const CompareData *d = r->data;
    size_t runs = (size_t)d->arms * (size_t)d->seeds;
    r->omnibus.status = ST_BAD_ARG;
    if (runs > OMNIBUS_NUMBERS) {
        r->no_omnibus = "more than 2000 runs: relabelling them takes too long";
        return;
    }
    double *x = mem_alloc(runs, sizeof *x);
    for (size_t i = 0; i < runs; i++) x[i] = d->diverged[i] ? r->options.cap : d->value[i];
    r->omnibus = st_omnibus(x, (size_t)d->arms, (size_t)d->seeds, key_of("omnibus", "all", "all"));
    free(x);
}

Rc compare_make(CompareResult *r, const CompareData *data, const CompareOptions *options, int threads, Error *e) {
    *r = (CompareResult){.data = data, .options = *options, .n = data->seeds};
    r->alpha = round(1e12 * (1 - options->conf)) / 1e12;
    if (check(r, e)) {
        *r = (CompareResult){0};
        return e->code;
    }
    st_init();
    r->count = data->arms - 1;
    r->arm = mem_alloc((size_t)data->arms, sizeof *r->arm);
    r->at = mem_alloc((size_t)r->count, sizeof *r->at);
    for (int arm = 0; arm < data->arms; arm++) arm_alone(r, arm);
    for (int i = 0; i < r->count; i++) r->at[i].arm = i + (i >= r->baseline);
    pool_run(threads, r->count, test_alone, r);
    omnibus(r);
    compare_together(r);
    return RC_OK;
}

void compare_release(CompareResult *r) {
    for (int i = 0; i < r->count; i++) st_pairs_release(&r->at[i].pairs);
    free(r->at);
    free(r->arm);
    *r = (CompareResult){0};
}

Rc compare_exit(const CompareResult *r) {
    if (r->verdicts[COMPARE_WORSE]) return RC_REGRESSION;
    return r->verdicts[COMPARE_BETTER] || r->verdicts[COMPARE_EQUIVALENT] ? RC_OK : RC_INCONCLUSIVE;
}
