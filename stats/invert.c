/* Sign-flip tests turned into intervals.
 *
 * A flip that turns the seeds of a set S leaves |sum of d - m| as large or larger exactly when m, below the mean of d,
 * is not below the mean of d over S or over the others; and above it likewise. So each flip has a lowest and a highest
 * shift from which on it counts, the observed signs count always, and a limit is an order statistic. */
#include "stats/invert.h"

#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "stats/flips.h"

/* How many flips must be as extreme, the observed one counted, for p to be at least alpha. */
static uint64_t least_count(double alpha, uint64_t total) {
    double needed = alpha * (double)total;
    uint64_t count = (uint64_t)needed;
    return (double)count < needed * (1.0 - 1e-12) ? count + 1 : count;
}

/* The same flips for several columns: all with the last seed as it is, or the observed signs and random ones. */
typedef struct {
    size_t k, n;
    uint64_t total;
    double *sum;      /* [k][total] of d */
    uint32_t *turned; /* [total] how many seeds are turned */
    double *tol;      /* [k] of a sum */
} Flipped;

static void flipped_release(Flipped *f) {
    free(f->sum);
    free(f->turned);
    free(f->tol);
}

static void flip_all(Flipped *f, const double *d) {
    for (size_t j = 0; j < f->k; j++) {
        StFlips flips;
        st_flips_init(&flips, d + j * f->n, f->n);
        for (uint64_t at = 0; at < f->total; at++) {
            f->sum[j * f->total + at] = st_flips_sum(&flips, at);
            f->turned[at] = (uint32_t)__builtin_popcountll(at);
        }
        st_flips_release(&flips);
    }
}

/* The observed signs, and the patterns of stats/maxt.c and stats/signflip.c. */
static void flip_some(Flipped *f, const double *d, StKey key) {
    StFlipDraws draws;
    st_flip_draws_init(&draws, f->n, key);
    f->turned[0] = 0;
    for (size_t j = 0; j < f->k; j++) {
        f->sum[j * f->total] = 0.0;
        for (size_t i = 0; i < f->n; i++) f->sum[j * f->total] += d[j * f->n + i];
    }
    for (uint64_t at = 1; at < f->total; at += draws.count) {
        st_flip_draws_next(&draws, f->total - at);
        for (size_t j = 0; j < f->k; j++) st_flip_draws_sums(&draws, d + j * f->n, f->sum + j * f->total + at);
        for (size_t i = 0; i < draws.count; i++) f->turned[at + i] = (uint32_t)st_flip_draws_turned(&draws, i);
    }
    st_flip_draws_release(&draws);
}

static StStatus flipped_init(Flipped *f, const double *d, size_t k, size_t n, const double *scale, uint64_t draws,
                             StKey key) {
    bool exact = n <= ST_FLIP_MAX;
    *f = (Flipped){.k = k, .n = n};
    f->total = exact ? (uint64_t)1 << (n - 1) : (draws > 0 ? draws : st_flip_draws(n)) + 1;
    f->sum = mem_alloc((size_t)f->total, k * sizeof *f->sum);
    f->turned = mem_alloc((size_t)f->total, sizeof *f->turned);
    f->tol = mem_alloc(k, sizeof *f->tol);
    for (size_t j = 0; j < k; j++) {
        StSample s;
        StStatus status = st_sample_init(&s, d + j * n, n, scale ? scale[j] : 0.0);
        if (status != ST_OK) return status;
        f->tol[j] = (double)n * s.tol;
        st_sample_release(&s);
    }
    if (exact)
        flip_all(f, d);
    else
        flip_some(f, d, key);
    return ST_OK;
}

/* From where on a flip counts against the test of column j alone; everywhere, where it is the observed one. */
static void range_alone(const Flipped *f, size_t j, uint64_t at, double *lo, double *hi) {
    double seen = f->sum[j * f->total], sum = f->sum[j * f->total + at];
    size_t turned = f->turned[at], kept = f->n - turned;
    *lo = -INFINITY;
    *hi = INFINITY;
    if (turned > 0 && kept > 0) {
        double in = (seen - sum) / 2.0 / (double)turned, out = (seen + sum) / 2.0 / (double)kept;
        *lo = fmin(in, out);
        *hi = fmax(in, out);
    }
}

/* A limit that is 0 but for rounding is 0: the test takes 0 for a tie. */
static double snapped(double limit, double tol) {
    return fabs(limit) <= tol ? 0.0 : limit;
}

/* lo, hi: [total], where flips begin and end to count; they lose their order. */
static StFlipCi limits(const Flipped *f, size_t j, double conf, double *lo, double *hi) {
    uint64_t least = least_count(1.0 - conf, f->total);
    StFlipCi ci = {ST_OK, conf, NAN, NAN};
    if (least < 2) { /* the observed signs are one of them */
        ci.status = ST_NOT_REACHABLE;
        ci.lo = -INFINITY;
        ci.hi = INFINITY;
        return ci;
    }
    ci.lo = snapped(gsl_stats_select(lo, 1, (size_t)f->total, (size_t)least - 1), f->tol[j]);
    ci.hi = snapped(gsl_stats_select(hi, 1, (size_t)f->total, (size_t)(f->total - least)), f->tol[j]);
    return ci;
}

/* The largest statistics |sum d| / sqrt(n sum d^2) of all columns, flip by flip, and whose the first is. */
typedef struct {
    double *first, *second;
    uint32_t *whose;
} Largest;

static void find_largest(const Flipped *f, const double *d, Largest *most) {
    for (uint64_t at = 0; at < f->total; at++) {
        most->first[at] = most->second[at] = 0.0;
        most->whose[at] = 0;
    }
    for (size_t j = 0; j < f->k; j++) {
        double squares = 0.0;
        for (size_t i = 0; i < f->n; i++) squares += d[j * f->n + i] * d[j * f->n + i];
        double norm = sqrt((double)f->n * squares);
        for (uint64_t at = 0; at < f->total && norm > f->tol[j]; at++) {
            double own = (fabs(f->sum[j * f->total + at]) + f->tol[j]) / norm;
            if (own > most->first[at]) {
                most->second[at] = most->first[at];
                most->first[at] = own;
                most->whose[at] = (uint32_t)j;
            } else if (own > most->second[at]) {
                most->second[at] = own;
            }
        }
    }
}

/* Column j's statistic at a shift of x from its mean is sqrt(n) x / sqrt(squares + n x^2), squares about the mean.
 * Other columns that reach `rival` count as far from the mean as it takes to reach it too. */
static StFlipCi limits_together(const Flipped *f, const double *d, size_t j, double conf, const Largest *most,
                                double *lo, double *hi) {
    double mean = f->sum[j * f->total] / (double)f->n, squares = 0.0;
    for (size_t i = 0; i < f->n; i++) squares += (d[j * f->n + i] - mean) * (d[j * f->n + i] - mean);
    bool spread = sqrt(squares) > f->tol[j];
    for (uint64_t at = 0; at < f->total; at++) {
        double rival = most->whose[at] == j ? most->second[at] : most->first[at];
        double reach = rival < 1.0 ? sqrt(squares / (double)f->n / (1.0 - rival * rival)) * rival : INFINITY;
        range_alone(f, j, at, &lo[at], &hi[at]);
        lo[at] = fmin(lo[at], mean - reach);
        hi[at] = fmax(hi[at], mean + reach);
    }
    StFlipCi ci = limits(f, j, conf, lo, hi);
    if (ci.status == ST_OK && !spread) ci.lo = ci.hi = mean;
    return ci;
}

StFlipCi st_flip_ci(const double *d, size_t n, double scale, double conf, StKey key) {
    StFlipCi r = {ST_BAD_ARG, conf, NAN, NAN};
    StSample s;
    if (!(conf > 0.0 && conf < 1.0)) return r;
    r.status = st_sample_init(&s, d, n, scale);
    if (r.status != ST_OK) return r;
    Flipped f;
    r.status = flipped_init(&f, s.x, 1, n, &scale, 0, key);
    if (r.status == ST_OK) {
        double *lo = mem_alloc((size_t)f.total, sizeof *lo), *hi = mem_alloc((size_t)f.total, sizeof *hi);
        for (uint64_t at = 0; at < f.total; at++) range_alone(&f, 0, at, &lo[at], &hi[at]);
        r = limits(&f, 0, conf, lo, hi);
        free(lo);
        free(hi);
    }
    flipped_release(&f);
    st_sample_release(&s);
    return r;
}

static void all_limits(const Flipped *f, const double *d, double conf, StFlipCi *together, StFlipCi *alone) {
    double *room = mem_alloc((size_t)f->total, 4 * sizeof *room), *lo = room + 2 * f->total, *hi = lo + f->total;
    Largest most = {room, room + f->total, mem_alloc((size_t)f->total, sizeof *most.whose)};
    find_largest(f, d, &most);
    for (size_t j = 0; j < f->k; j++) {
        together[j] = limits_together(f, d, j, conf, &most, lo, hi);
        for (uint64_t at = 0; at < f->total && alone; at++) range_alone(f, j, at, &lo[at], &hi[at]);
        if (alone) alone[j] = limits(f, j, conf, lo, hi);
    }
    free(most.whose);
    free(room);
}

StStatus st_maxT_ci(const double *d, size_t k, size_t n, const double *scale, double conf, uint64_t draws, StKey key,
                    StFlipCi *together, StFlipCi *alone) {
    if (!(conf > 0.0 && conf < 1.0)) return ST_BAD_ARG;
    if (n == 0 || k == 0) return ST_N_TOO_SMALL;
    Flipped f;
    StStatus status = flipped_init(&f, d, k, n, scale, draws, key);
    if (status == ST_OK) all_limits(&f, d, conf, together, alone);
    flipped_release(&f);
    return status;
}
