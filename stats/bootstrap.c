/* Exact and Monte-Carlo bootstrap of a mean; what differs is only how the means of resamples are asked: all of them as
 * multisets, or some as a list. */
#include "stats/bootstrap.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "stats/multisets.h"
#include "stats/resample.h"

/* The means of resamples, and the sample they came from. */
typedef struct {
    const StSample *sample;
    StMultisets all;  /* of the exact bootstrap */
    StWeighted *list; /* of the other: sorted, with running totals */
    size_t count;
} Means;

static double quantile(Means *m, double q) {
    return m->list ? st_weighted_quantile(m->list, m->count, q) : st_multisets_quantile(&m->all, q);
}

static uint64_t below(Means *m, double x, bool or_equal) {
    return m->list ? st_weighted_below(m->list, m->count, x, or_equal) : st_multisets_below(&m->all, x, or_equal);
}

static double share_of(uint64_t count, uint64_t total) {
    return (double)count / (double)total;
}

static StShare p_of(uint64_t count, uint64_t total) {
    count = count < total ? count : total;
    return (StShare){share_of(count, total), count, total};
}

/* Acceleration: skewness of the influence of each seed on the mean. */
static double acceleration(const StSample *s, double mean) {
    double squares = 0.0, cubes = 0.0;
    for (size_t i = 0; i < s->n; i++) {
        double u = s->x[i] - mean;
        squares += u * u;
        cubes += u * u * u;
    }
    return cubes / (6.0 * squares * sqrt(squares));
}

/* Level of the quantile that BCa reads for the normal quantile z; NaN when there is none. */
static double bca_level(double bias, double accel, double z) {
    double divisor = 1.0 - accel * (bias + z);
    return divisor > 0.0 ? gsl_cdf_ugaussian_P(bias + (bias + z) / divisor) : NAN;
}

static void bca(Means *m, StBoot *r) {
    double tol = m->sample->tol, z = gsl_cdf_ugaussian_Pinv((1.0 + r->conf) / 2.0);
    uint64_t less = below(m, r->mean - tol, false), upto = below(m, r->mean + tol, true);
    double share = (share_of(less, r->total) + share_of(upto, r->total)) / 2.0;
    r->bca = (StInterval){ST_DEGENERATE, r->percentile.lo, r->percentile.hi};
    if (!(share > 0.0 && share < 1.0)) return;
    r->bias = share == 0.5 ? 0.0 : gsl_cdf_ugaussian_Pinv(share);
    r->accel = acceleration(m->sample, r->mean);
    double low = bca_level(r->bias, r->accel, -z), high = bca_level(r->bias, r->accel, z);
    if (low >= 0.0 && high <= 1.0) { /* false for NaN */
        r->bca.status = ST_OK;
        r->bca.lo = quantile(m, low);
        r->bca.hi = quantile(m, high);
    }
}

static void intervals(Means *m, StBoot *r) {
    double tail = (1.0 - r->conf) / 2.0, tol = m->sample->tol;
    r->percentile.lo = quantile(m, tail);
    r->percentile.hi = quantile(m, 1.0 - tail);
    r->basic.lo = 2.0 * r->mean - r->percentile.hi;
    r->basic.hi = 2.0 * r->mean - r->percentile.lo;
    r->percentile.status = r->basic.status = ST_OK;
    bca(m, r);
    uint64_t negative = below(m, -tol, false), upto_zero = below(m, tol, true);
    uint64_t not_below = r->total - negative, tail_count = upto_zero < not_below ? upto_zero : not_below;
    double size = fmax(0.0, fabs(r->mean) - tol);
    uint64_t left = below(m, r->mean - size, true), right = r->total - below(m, r->mean + size, false);
    r->pct = p_of(2 * tail_count, r->total);
    r->koehn = p_of(not_below, r->total);
    r->shift = p_of(left + right, r->total);
}

/* Random resamples, each summed in the ascending order of its values. */
static StWeighted *some_means(const StSample *s, size_t draws, StKey key) {
    StWeighted *list = mem_alloc(draws, sizeof *list);
    OWNED uint32_t *times = mem_alloc(s->n, sizeof *times);
    gsl_rng *rng = st_rng_new(key);
    for (size_t draw = 0; draw < draws; draw++) {
        double sum = 0.0;
        for (size_t i = 0; i < s->n; i++) times[i] = 0;
        for (size_t i = 0; i < s->n; i++) times[st_rng_below(rng, (uint32_t)s->n)]++;
        for (size_t i = 0; i < s->n; i++) sum += (double)times[i] * s->x[i];
        list[draw] = (StWeighted){sum / (double)s->n, 1};
    }
    gsl_rng_free(rng);
    return list;
}

/* Root mean square of the list's means about their mean. */
static double spread_of(StWeighted *list, size_t count, double mean) {
    double centre = 0.0, squares = 0.0;
    for (size_t i = 0; i < count; i++) centre += list[i].value - mean;
    centre = mean + centre / (double)count;
    for (size_t i = 0; i < count; i++) {
        double u = list[i].value - centre;
        squares += u * u;
    }
    return sqrt(squares / (double)count);
}

static void ask_all(Means *m, StBoot *r) {
    const StSample *s = m->sample;
    r->se = st_sample_sd(s) * sqrt((double)s->n - 1.0) / (double)s->n; /* Efron and Tibshirani (1993), section 5.4 */
    r->total = st_power_self(s->n);
    r->distinct = (size_t)st_multiset_count(s->n);
    st_multisets_init(&m->all, s->x, s->n);
    intervals(m, r);
    st_multisets_release(&m->all);
}

static void ask_some(Means *m, size_t draws, StKey key, StBoot *r) {
    m->list = some_means(m->sample, draws, key);
    m->count = r->distinct = draws;
    r->total = draws;
    r->se = spread_of(m->list, draws, r->mean);
    st_weighted_sort(m->list, draws);
    intervals(m, r);
    free(m->list);
}

static StStatus boot(const StSample *s, size_t draws, StKey key, StBoot *r) {
    r->mean = st_sample_mean(s);
    if (s->n < 2) return ST_N_TOO_SMALL;
    if (st_sample_sd(s) <= s->tol) return ST_DEGENERATE;
    Means m = {.sample = s};
    if (r->exact)
        ask_all(&m, r);
    else
        ask_some(&m, draws, key, r);
    return ST_OK;
}

static StBoot start(const double *d, size_t n, double scale, double conf, size_t draws, StKey key) {
    const StInterval none = {ST_BAD_ARG, NAN, NAN};
    const StShare no_p = {NAN, 0, 0};
    StBoot r = {ST_BAD_ARG, n, draws == 0, 0, 0, conf, NAN, NAN, none, none, none, NAN, NAN, no_p, no_p, no_p};
    StSample s;
    if (!(conf > 0.0 && conf < 1.0) || n > UINT32_MAX) return r;
    r.status = st_sample_init(&s, d, n, scale);
    if (r.status == ST_OK) {
        r.status = boot(&s, draws, key, &r);
        st_sample_release(&s);
    }
    if (r.status != ST_OK) r.percentile.status = r.basic.status = r.bca.status = r.status;
    return r;
}

StBoot st_boot_exact(const double *d, size_t n, double scale, double conf) {
    return start(d, n, scale, n <= ST_BOOT_EXACT_MAX ? conf : NAN, 0, (StKey){0, 0});
}

StBoot st_boot_mc(const double *d, size_t n, double scale, double conf, size_t draws, StKey key) {
    return start(d, n, scale, draws >= 1 && draws <= 100000000 ? conf : NAN, draws, key);
}

StBoot st_boot(const double *d, size_t n, double scale, double conf, StKey key) {
    return n <= ST_BOOT_EXACT_MAX ? st_boot_exact(d, n, scale, conf)
                                  : st_boot_mc(d, n, scale, conf, ST_BOOT_DRAWS, key);
}
