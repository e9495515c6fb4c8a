#include "bench/compare/against.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "bench/verdict/unpaired.h"
#include "stats/multiple.h"
#include "stats/paired.h"

/* One-sided p of a score whose two-sided p is given. */
static double one_sided(double score, double p, bool higher) {
    return (score > 0) == higher ? p / 2 : 1 - p / 2;
}

static void test_arm(AgainstArm *a, const double *d, double scale, const AgainstOptions *o, StKey key) {
    size_t n = (size_t)a->runs;
    a->t = st_tci(d, n, scale, o->conf);
    a->flip = st_signflip(d, n, scale, o->higher ? ST_GREATER : ST_LESS, key);
    a->t_p = a->t.status == ST_OK ? one_sided(a->t.t, a->t.p, o->higher) : (double)NAN;
    a->z = a->t.mean * sqrt((double)n) / o->sigma;
    a->z_p = one_sided(a->z, erfc(fabs(a->z) / sqrt(2)), o->higher);
}

/* Its sign turned where higher is better; a rule that is met but for rounding is met. */
static void judge_rule(AgainstArm *a, const AgainstOptions *o) {
    a->lead = (o->higher ? a->t.mean : -a->t.mean) * sqrt((double)a->runs);
    a->holds = a->lead >= o->rule - 1e-12 * fabs(o->number) * sqrt((double)a->runs);
}

static UnpairedArm runs_of(const CompareData *d, int arm) {
    size_t first = (size_t)arm * (size_t)d->seeds;
    return (UnpairedArm){.n = d->runs[arm], .value = d->value + first, .diverged = d->diverged + first};
}

static void compare_before(Against *r) {
    const CompareData *d = r->data;
    r->before = (Family){.alpha = 1 - r->options.conf, .conf = r->options.conf, .unpaired = true, .n = d->runs[0]};
    if (d->arms < 2) return;
    family_begin(&r->before, d->arms - 1);
    for (int i = 0; i < r->before.count; i++) {
        Comparison *c = &r->before.at[i];
        c->what = contrast_pair(0, 0, (Metric)0, i + 1, i, (double)NAN);
        UnpairedRuns in = {.a = runs_of(d, i + 1),
                           .b = runs_of(d, i),
                           .cap = r->options.cap,
                           .higher = r->options.higher,
                           .relabel = {.stream = (uint64_t)i, .plan = 1},
                           .ranks = {.stream = (uint64_t)i, .plan = 2},
                           .boot = {.stream = (uint64_t)i, .plan = 3}};
        unpaired_make(&r->before, c, &in);
    }
    unpaired_together(&r->before);
}

static Rc needs_cap(const CompareData *d, Error *e) {
    return error_set(e, RC_USAGE, "%s diverged: --cap VALUE says what a diverged run counts as", d->first_lost);
}

Rc against_make(Against *r, const CompareData *data, const AgainstOptions *options, Error *e) {
    size_t most = (size_t)data->seeds, arms = (size_t)data->arms;
    *r = (Against){.data = data, .options = *options};
    if (data->lost && isnan(options->cap)) return needs_cap(data, e);
    st_init();
    r->arm = mem_alloc(arms, sizeof *r->arm);
    double *d = mem_alloc(most, sizeof *d), *p = mem_alloc(arms, sizeof *p), *holm = mem_alloc(arms, sizeof *holm);
    for (size_t i = 0; i < arms; i++) {
        AgainstArm *a = &r->arm[i];
        double scale = fabs(options->number);
        a->runs = data->runs[i];
        for (size_t k = 0; k < (size_t)a->runs; k++) {
            bool lost = data->diverged[i * most + k];
            double value = lost ? options->cap : data->value[i * most + k];
            d[k] = value - options->number;
            scale = fmax(scale, fabs(value));
            a->diverged += lost;
        }
        test_arm(a, d, scale, options, (StKey){.stream = i});
        judge_rule(a, options);
        p[i] = a->flip.p;
    }
    (void)st_holm(p, arms, holm);
    for (size_t i = 0; i < arms; i++) r->arm[i].holm = holm[i], r->arm[i].shown = holm[i] <= 1 - options->conf;
    free(d), free(p), free(holm);
    compare_before(r);
    return RC_OK;
}

void against_release(Against *r) {
    free(r->arm);
    if (r->before.count) family_release(&r->before);
    *r = (Against){0};
}

Rc against_exit(const Against *r) {
    for (int i = 0; i < r->data->arms; i++)
        if (!r->arm[i].shown) return RC_INCONCLUSIVE;
    return RC_OK;
}
