/* Exact and Monte-Carlo bootstrap of a mean; what differs is only how the means of resamples are asked: all of them as
 * multisets, or some as a list. */
#include "stats/bootstrap.h"

#include <float.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
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
    st_multisets_init(&m->all, s->x, s->n);
    intervals(m, r);
    st_multisets_release(&m->all);
}

static void ask_some(Means *m, size_t draws, StKey key, StBoot *r) {
    m->list = some_means(m->sample, draws, key);
    m->count = draws;
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
    StBoot r = {ST_BAD_ARG, n, draws == 0, 0, conf, NAN, NAN, none, none, none, NAN, NAN, no_p, no_p, no_p};
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

/* Multisets that are listed around an answer rather than halved again. */
#define FEW 512

/* `draws` draws from one value more: those that leave it out, and those of one draw less, which take it once more. */
static StPart *merge(StPart *to, const StPart *without, size_t withouts, const StPart *less, size_t lesses, double x,
                     size_t draws, unsigned shift) {
    for (size_t i = 0, j = 0; i < withouts || j < lesses;) {
        double sum = j < lesses ? less[j].sum + x : INFINITY;
        if (i < withouts && without[i].sum <= sum) {
            *to++ = without[i++];
            continue;
        }
        uint32_t times = less[j].times >> shift & 15;
        *to++ = (StPart){sum, less[j].upto * draws / (times + 1), less[j].times + ((uint32_t)1 << shift)};
        j++;
    }
    return to;
}

/* The lists of a half: value by value, of 0 … n draws, in turn in two places. `upto` holds the orders of one multiset
 * until all are there. */
static void list_parts(StMultisets *m, int side) {
    const double *x = side == 0 ? m->x : m->x + m->half;
    size_t values = side == 0 ? m->half : m->n - m->half, most = (size_t)st_binomial(m->n + values, values);
    StPart *now = mem_alloc(most, sizeof *now), *next = mem_alloc(most, sizeof *next);
    size_t *first = m->first[side], before[ST_MULTISETS_MAX + 2];
    now[0] = (StPart){0.0, 1, 0};
    for (size_t k = 0; k <= m->n + 1; k++) /* of no value: nothing drawn */
        first[k] = k > 0;
    for (size_t v = 0; v < values; v++) {
        StPart *to = next;
        for (size_t k = 0; k <= m->n + 1; k++) before[k] = first[k];
        for (size_t k = 0; k <= m->n; k++) {
            const StPart *less = k > 0 ? next + first[k - 1] : next;
            size_t lesses = k > 0 ? first[k] - first[k - 1] : 0;
            to = merge(to, now + before[k], before[k + 1] - before[k], less, lesses, x[v], k, 4 * (unsigned)v);
            first[k + 1] = (size_t)(to - next);
        }
        StPart *swap = now;
        now = next, next = swap;
    }
    for (size_t k = 0; k <= m->n; k++)
        for (size_t i = first[k] + 1; i < first[k + 1]; i++) now[i].upto += now[i - 1].upto;
    m->steps += first[m->n + 1];
    m->part[side] = now;
    free(next);
}

void st_multisets_init(StMultisets *m, const double *x, size_t n) {
    double largest = st_scale(x, NULL, n);
    *m = (StMultisets){.n = n, .half = n / 2, .total = st_power_self(n)};
    m->slack = 8.0 * DBL_EPSILON * (double)(n * n) * largest + ST_TINY;
    for (size_t i = 0; i < n; i++) m->x[i] = x[i];
    for (size_t k = 0; k <= n; k++) m->ways[k] = st_binomial(n, k);
    for (int side = 0; side < 2; side++) list_parts(m, side);
    double end = (double)n * largest + 8.0 * m->slack;
    m->cut[0] = (StCut){-end, 0, 0};
    m->cut[1] = (StCut){end, m->total, st_multiset_count(n)};
    m->cuts = 2;
}

void st_multisets_release(StMultisets *m) {
    free(m->part[0]);
    free(m->part[1]);
    m->part[0] = m->part[1] = NULL;
}

/* Counts sums below `sum`. */
static StCut count_below(StMultisets *m, double sum) {
    StCut cut = {sum, 0, 0};
    for (size_t k = 0; k <= m->n; k++) {
        const StPart *high = m->part[1] + m->first[1][m->n - k];
        size_t below = m->first[1][m->n - k + 1] - m->first[1][m->n - k];
        uint64_t orders = 0, before = 0;
        m->steps += below;
        for (const StPart *low = m->part[0] + m->first[0][k]; low < m->part[0] + m->first[0][k + 1]; low++) {
            while (below > 0 && low->sum + high[below - 1].sum >= sum) below--;
            if (below == 0) break;
            orders += (low->upto - before) * high[below - 1].upto;
            before = low->upto;
            cut.count += below;
            m->steps++;
        }
        cut.weight += m->ways[k] * orders;
    }
    return cut;
}

/* The sum as st_multiset_sums adds it up, over n. */
static double mean_of(const StMultisets *m, uint32_t low, uint32_t high) {
    double sum = 0.0;
    for (size_t i = 0; i < m->half; i++) sum += (double)(low >> 4 * i & 15) * m->x[i];
    for (size_t i = m->half; i < m->n; i++) sum += (double)(high >> 4 * (i - m->half) & 15) * m->x[i];
    return sum / (double)m->n;
}

/* The means of the multisets with sums from `from` to below `to`, to out[]; returns how many. */
static size_t list_between(StMultisets *m, double from, double to, StWeighted *out) {
    StWeighted *next = out;
    for (size_t k = 0; k <= m->n; k++) {
        const StPart *high = m->part[1] + m->first[1][m->n - k];
        size_t end = m->first[1][m->n - k + 1] - m->first[1][m->n - k], start = end;
        uint64_t before = 0;
        for (const StPart *low = m->part[0] + m->first[0][k]; low < m->part[0] + m->first[0][k + 1]; low++) {
            while (end > 0 && low->sum + high[end - 1].sum >= to) end--;
            start = start < end ? start : end;
            while (start > 0 && low->sum + high[start - 1].sum >= from) start--;
            for (size_t i = start; i < end; i++) {
                uint64_t orders = high[i].upto - (i > 0 ? high[i - 1].upto : 0);
                *next++ =
                    (StWeighted){mean_of(m, low->times, high[i].times), m->ways[k] * (low->upto - before) * orders};
            }
            before = low->upto;
        }
    }
    m->steps += (uint64_t)(next - out);
    return (size_t)(next - out);
}

/* Lists what lies between two cuts, and three slacks around: whatever rounds into them. *before: resamples below all
 * of it. */
static StWeighted *list_around(StMultisets *m, double from, double to, size_t *count, uint64_t *before) {
    StCut start = count_below(m, from - 3.0 * m->slack), end = count_below(m, to + 3.0 * m->slack);
    *before = start.weight;
    StWeighted *list = mem_alloc((size_t)(end.count - start.count) + 1, sizeof *list);
    *count = list_between(m, start.sum, end.sum, list);
    return list;
}

uint64_t st_multisets_below(StMultisets *m, double x, bool or_equal) {
    double sum = x * (double)m->n;
    uint64_t below;
    size_t count;
    OWNED StWeighted *list = list_around(m, sum, sum, &count, &below);
    for (size_t i = 0; i < count; i++) {
        bool is = list[i].value < x || (or_equal && list[i].value == x);
        below += is ? list[i].weight : 0;
    }
    return below;
}

/* Keeps a cut behind cut[at]. */
static void keep_cut(StMultisets *m, size_t at, StCut cut) {
    for (size_t i = m->cuts++; i > at + 1; i--) m->cut[i] = m->cut[i - 1];
    m->cut[at + 1] = cut;
}

/* The cuts next to a place of all resamples in order, so close that few multisets are between them: cut[at], behind it
 * the other. */
static size_t close_in(StMultisets *m, uint64_t place) {
    size_t at = 0;
    while (m->cut[at + 1].weight <= place) at++;
    while (m->cuts < ST_CUTS_MAX && m->cut[at + 1].count - m->cut[at].count > FEW &&
           m->cut[at + 1].sum - m->cut[at].sum > 8.0 * m->slack) {
        keep_cut(m, at, count_below(m, 0.5 * (m->cut[at].sum + m->cut[at + 1].sum)));
        at += m->cut[at + 1].weight <= place;
    }
    return at;
}

/* The means at `place`, counted from 0, and at the next one. */
static void means_at(StMultisets *m, uint64_t place, double value[2]) {
    for (uint64_t next = 0; next < 2; next++) {
        uint64_t want = place + next < m->total ? place + next : place, before;
        size_t at = close_in(m, want), count;
        OWNED StWeighted *list = list_around(m, m->cut[at].sum, m->cut[at + 1].sum, &count, &before);
        st_weighted_sort(list, count);
        value[next] = st_weighted_at(list, count, want - before);
        bool has_both = want + 1 < m->total && want + 1 < m->cut[at + 1].weight;
        if (next == 0 && has_both) value[1] = st_weighted_at(list, count, want + 1 - before);
        if (has_both) return;
    }
}

double st_multisets_quantile(StMultisets *m, double q) {
    double place = (double)(m->total - 1) * q, whole = floor(place), at[2];
    means_at(m, (uint64_t)whole, at);
    return at[0] + (place - whole) * (at[1] - at[0]);
}
