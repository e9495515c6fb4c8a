#include "bench/compare/curves.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/verdict/unpaired.h"
#include "stats/resample.h"

/* The run of an arm with a number; both stand in the pick. */
static const PickedRun *run_of(const Pick *p, const char *arm, uint64_t seed) {
    for (int i = 0; i < p->runs; i++)
        if (!p->run[i].why && (uint64_t)p->run[i].number == seed && !strcmp(p->run[i].arm, arm)) return &p->run[i];
    return NULL;
}

/* Steps that every used run has, then at most so many of them, with the first and the last. */
static void find_steps(CompareCurves *c, const Pick *p) {
    const LogSeries *one = NULL;
    for (int i = 0; i < p->runs && !one; i++)
        if (!p->run[i].why) one = p->run[i].series;
    double *shared = mem_alloc(one->count, sizeof *shared);
    for (size_t k = 0; k < one->count; k++) {
        bool all = true;
        for (int i = 0; i < p->runs && all; i++)
            if (!p->run[i].why) all = log_point_at(p->run[i].series, one->at[k].step) != NULL;
        if (all) shared[c->shared++] = one->at[k].step;
    }
    c->steps = c->shared < CURVES_MOST_STEPS ? c->shared : CURVES_MOST_STEPS;
    for (int k = 0; k < c->steps; k++)
        c->step[k] = shared[c->steps < 2 ? 0 : (long)k * (c->shared - 1) / (c->steps - 1)];
    free(shared);
}

static void read_values(CompareCurves *c, const Pick *p, double cap) {
    const CompareData *d = c->data;
    size_t all = (size_t)d->arms * (size_t)d->seeds * (size_t)c->steps;
    c->value = mem_alloc(all, sizeof *c->value), c->diverged = mem_alloc(all, sizeof *c->diverged);
    c->mean = mem_alloc((size_t)d->arms * (size_t)c->steps, sizeof *c->mean);
    for (int arm = 0; arm < d->arms; arm++)
        for (int s = 0; s < d->runs[arm]; s++) {
            const PickedRun *run = run_of(p, d->arm[arm], d->seed[arm * d->seeds + s]);
            for (int k = 0; k < c->steps; k++) {
                size_t at = ((size_t)arm * (size_t)d->seeds + (size_t)s) * (size_t)c->steps + (size_t)k;
                double x = log_point_at(run->series, c->step[k])->value;
                c->value[at] = x, c->diverged[at] = isnan(x);
                c->mean[arm * c->steps + k] += (isnan(x) ? cap : x) / d->runs[arm];
            }
        }
}

/* An arm's values and divergences at a step. */
typedef struct {
    double *value;
    bool *diverged;
} AtStep;

static AtStep at_step(const CompareCurves *c, int arm, int step) {
    int seeds = c->data->seeds;
    AtStep out = {mem_alloc((size_t)seeds, sizeof *out.value), mem_alloc((size_t)seeds, sizeof *out.diverged)};
    for (int s = 0; s < seeds; s++) {
        size_t at = ((size_t)arm * (size_t)seeds + (size_t)s) * (size_t)c->steps + (size_t)step;
        out.value[s] = c->value[at], out.diverged[s] = c->diverged[at];
    }
    return out;
}

static void compare_at(CompareCurves *c, int other, int step, double cap) {
    const CompareData *d = c->data;
    int arm = compare_curves_arm(c, other);
    Comparison *to = &c->family.at[other * c->steps + step];
    AtStep a = at_step(c, arm, step), b = at_step(c, c->baseline, step);
    StKey key = {.stream = (uint64_t)(other * c->steps + step)};
    to->what = contrast_pair(0, step, (Metric)0, arm, c->baseline, (double)NAN);
    if (d->unpaired)
        unpaired_make(&c->family, to,
                      &(UnpairedRuns){.a = {.n = d->runs[arm], .value = a.value, .diverged = a.diverged},
                                      .b = {.n = d->runs[c->baseline], .value = b.value, .diverged = b.diverged},
                                      .cap = cap,
                                      .higher = c->higher,
                                      .relabel = key,
                                      .ranks = key,
                                      .boot = key});
    else
        comparison_make(&c->family, to,
                        &(PairedRuns){.n = d->seeds,
                                      .seed = d->seed,
                                      .arm = {{.weight = 1, .value = a.value, .diverged = a.diverged},
                                              {.weight = -1, .value = b.value, .diverged = b.diverged}},
                                      .arms = 2,
                                      .cap = cap,
                                      .higher = c->higher,
                                      .flip = key,
                                      .ranks = key,
                                      .boot = key});
    free(a.value), free(a.diverged), free(b.value), free(b.diverged);
}

static Rc find_baseline(CompareCurves *c, const char *name, Error *e) {
    const CompareData *d = c->data;
    for (c->baseline = 0; name && c->baseline < d->arms; c->baseline++)
        if (!strcmp(d->arm[c->baseline], name)) return RC_OK;
    if (!name) return RC_OK;
    char hint[160];
    return error_set(e, RC_USAGE, "--baseline: there is no arm '%.200s'%s", name,
                     did_you_mean(hint, sizeof hint, name, (const char *const *)d->arm, (size_t)d->arms));
}

static Rc check_lost(const CompareCurves *c, double cap, Error *e) {
    const CompareData *d = c->data;
    for (int i = 0; i < d->arms * d->seeds * c->steps && isnan(cap); i++)
        if (c->diverged[i])
            return error_set(e, RC_USAGE,
                             "a run of arm '%.80s' diverged at step %g: --cap VALUE says what it counts as",
                             d->arm[i / c->steps / d->seeds], c->step[i % c->steps]);
    return RC_OK;
}

Rc compare_curves_make(CompareCurves *c, const CompareCorpora *data, const Pick *p, const CompareOptions *o, Error *e) {
    const CompareData *d = &data->of[0];
    *c = (CompareCurves){.data = d, .metric = p->metric, .higher = o->higher};
    if (data->corpora > 1)
        return error_set(e, RC_USAGE, "--at every: it is of one corpus, and there are %d", data->corpora);
    if (find_baseline(c, o->baseline, e)) return e->code;
    find_steps(c, p);
    if (c->steps < 2)
        return error_set(e, RC_USAGE, "--at every: runs share %d step%s; two are needed", c->shared,
                         c->shared == 1 ? "" : "s");
    read_values(c, p, o->cap);
    if (check_lost(c, o->cap, e)) return e->code;
    st_init();
    c->family = (Family){.tests = PAIRED_T | PAIRED_FLIP | PAIRED_RANKS | PAIRED_INTERVAL,
                         .alpha = round(1e12 * (1 - o->conf)) / 1e12,
                         .conf = o->conf,
                         .unpaired = d->unpaired,
                         .n = d->runs[c->baseline]};
    family_begin(&c->family, (d->arms - 1) * c->steps);
    for (int other = 0; other < d->arms - 1; other++)
        for (int step = 0; step < c->steps; step++) compare_at(c, other, step, o->cap);
    if (d->unpaired)
        unpaired_together(&c->family);
    else
        family_together(&c->family);
    return RC_OK;
}

void compare_curves_release(CompareCurves *c) {
    if (c->family.at) family_release(&c->family);
    free(c->value), free(c->diverged), free(c->mean);
    *c = (CompareCurves){0};
}

const Comparison *compare_curves_at(const CompareCurves *c, int other, int step) {
    return &c->family.at[other * c->steps + step];
}

int compare_curves_arm(const CompareCurves *c, int other) {
    return other + (other >= c->baseline);
}

int compare_curves_from(const CompareCurves *c, int other) {
    int from = -1;
    bool lower = decision_lower(compare_curves_at(c, other, c->steps - 1)->decision);
    for (int step = c->steps - 1; step >= 0; step--) {
        Decision d = compare_curves_at(c, other, step)->decision;
        if (!decision_apart(d) || decision_lower(d) != lower) break;
        from = step;
    }
    return from;
}

Rc compare_curves_exit(const CompareCurves *c) {
    bool decided = false;
    for (int other = 0; other < c->data->arms - 1; other++) {
        Decision d = compare_curves_at(c, other, c->steps - 1)->decision;
        if (decision_apart(d) && decision_lower(d) == c->higher) return RC_REGRESSION;
        decided |= decision_apart(d);
    }
    return decided ? RC_OK : RC_INCONCLUSIVE;
}
