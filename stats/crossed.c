/* Two-way random effects for seeds crossed with blocks, and block length. */
#include "stats/crossed.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

#include "base/error.h"

/* The mean of every seed and of every block; sums over seeds in ascending order, so that seed order is no matter. */
typedef struct {
    double *seed, *block; /* [S], [B]; one allocation, held by seed */
} Margins;

static void margins_init(Margins *m, const double *d, size_t seeds, size_t blocks) {
    OWNED double *column = mem_alloc(seeds, sizeof *column);
    m->seed = mem_alloc(seeds + blocks, sizeof *m->seed);
    m->block = m->seed + seeds;
    for (size_t s = 0; s < seeds; s++) {
        double sum = 0.0;
        for (size_t b = 0; b < blocks; b++) sum += d[s * blocks + b];
        m->seed[s] = sum / (double)blocks;
    }
    for (size_t b = 0; b < blocks; b++) {
        double sum = 0.0;
        for (size_t s = 0; s < seeds; s++) column[s] = d[s * blocks + b];
        qsort(column, seeds, sizeof *column, st_compare_double);
        for (size_t s = 0; s < seeds; s++) sum += column[s];
        m->block[b] = sum / (double)seeds;
    }
}

static double squares_about(const double *x, size_t n, double mean) {
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) sum += (x[i] - mean) * (x[i] - mean);
    return sum;
}

static double lag1_of(const double *x, size_t n, double tol) {
    return n >= 2 && gsl_stats_sd(x, 1, n) > tol ? fmax(-1.0, fmin(1.0, gsl_stats_lag1_autocorrelation(x, 1, n))) : NAN;
}

/* Mean squares, the variance of the mean and its degrees of freedom. */
static void variance(StCrossed *r, const double *d, const Margins *m) {
    size_t seeds = r->seeds_n, blocks = r->blocks_n;
    double s1 = (double)seeds - 1.0, b1 = (double)blocks - 1.0, cells = (double)seeds * (double)blocks;
    double error = 0.0;
    for (size_t s = 0; s < seeds; s++) {
        for (size_t b = 0; b < blocks; b++) {
            double u = d[s * blocks + b] - m->seed[s] - m->block[b] + r->mean;
            error += u * u;
        }
    }
    r->ms_seed = (double)blocks * squares_about(m->seed, seeds, r->mean) / s1;
    r->ms_block = (double)seeds * squares_about(m->block, blocks, r->mean) / b1;
    r->ms_error = error / (s1 * b1);
    double sum = r->ms_seed + r->ms_block - r->ms_error, larger = fmax(r->ms_seed, r->ms_block);
    r->floored = sum < larger;
    if (r->floored) {
        r->se = sqrt(larger / cells);
        r->df = r->ms_seed >= r->ms_block ? s1 : b1;
    } else {
        r->se = sqrt(sum / cells);
        double a = r->ms_seed / sum, b = r->ms_block / sum, e = r->ms_error / sum;
        r->df = 1.0 / (a * a / s1 + b * b / b1 + e * e / (s1 * b1));
    }
}

static void crossed(StCrossed *r, const double *d, const Margins *m, double tol) {
    variance(r, d, m);
    if (r->se <= tol) {
        r->status = ST_DEGENERATE;
        r->ms_seed = r->ms_block = r->ms_error = r->se = r->df = NAN;
        r->floored = false;
        return;
    }
    double half = gsl_cdf_tdist_Pinv((1.0 + r->conf) / 2.0, r->df) * r->se;
    r->lo = r->mean - half;
    r->hi = r->mean + half;
    r->t = r->mean / r->se;
    r->p = 2.0 * gsl_cdf_tdist_Q(fabs(r->t), r->df);
}

/* The checks that st_crossed and st_pigeonhole share; the tolerance to *tol. */
static StStatus check(const double *d, size_t seeds, size_t blocks, double scale, double *tol) {
    if (seeds == 0 || blocks == 0) return ST_N_TOO_SMALL;
    if (!d || seeds > SIZE_MAX / sizeof *d / blocks || !(scale >= 0.0)) return ST_BAD_ARG;
    if (scale > ST_HUGE || st_check_finite(d, seeds * blocks) != ST_OK) return ST_NONFINITE_INPUT;
    double largest = st_scale(d, NULL, seeds * blocks);
    *tol = st_tol(scale > 0.0 ? fmax(scale, largest / 2.0) : largest);
    return ST_OK;
}

StCrossed st_crossed(const double *d, size_t seeds, size_t blocks, double scale, double conf) {
    StCrossed r = {.status = ST_BAD_ARG, .seeds_n = seeds, .blocks_n = blocks, .conf = conf};
    r.mean = r.ms_seed = r.ms_block = r.ms_error = r.se = r.df = NAN;
    r.lo = r.hi = r.t = r.p = r.lag1 = NAN;
    r.seeds = st_tci(NULL, 0, 0.0, 0.95);
    if (!(conf > 0.0 && conf < 1.0)) return r;
    double tol;
    r.status = check(d, seeds, blocks, scale, &tol);
    if (r.status != ST_OK) return r;
    Margins m;
    margins_init(&m, d, seeds, blocks);
    r.seeds = st_tci(m.seed, seeds, tol / st_tol(1.0), conf);
    r.mean = r.seeds.mean;
    r.lag1 = lag1_of(m.block, blocks, tol);
    if (seeds < 2 || blocks < 2)
        r.status = ST_N_TOO_SMALL;
    else
        crossed(&r, d, &m, tol);
    free(m.seed);
    return r;
}

StBlocks st_blocks_merge(const double *d, size_t seeds, size_t blocks, double limit, double *out) {
    StBlocks r = {ST_BAD_ARG, 1, blocks, 0, NAN};
    double tol;
    if (!(limit > 0.0) || !out) return r;
    r.status = check(d, seeds, blocks, 0.0, &tol);
    while (r.status == ST_OK) {
        r.blocks = blocks / r.factor;
        r.dropped = blocks - r.blocks * r.factor;
        for (size_t s = 0; s < seeds; s++) {
            for (size_t b = 0; b < r.blocks; b++) {
                double sum = 0.0;
                for (size_t i = 0; i < r.factor; i++) sum += d[s * blocks + b * r.factor + i];
                out[s * r.blocks + b] = sum / (double)r.factor;
            }
        }
        Margins m;
        margins_init(&m, out, seeds, r.blocks);
        r.lag1 = lag1_of(m.block, r.blocks, tol);
        free(m.seed);
        if (!(r.lag1 >= limit)) break;
        if (r.blocks / 2 < 8)
            r.status = ST_NO_CONVERGENCE;
        else
            r.factor *= 2;
    }
    return r;
}
