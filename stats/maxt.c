/* Single-step and step-down max-T by joint seed flips (Westfall and Young 1993, algorithms 2.5 and 2.8).
 *
 * A comparison enters as u_j = |sum_s d_js| / sqrt(n sum_s d_js^2), 0 <= u <= 1, which is increasing in |t| and whose
 * divisor flips do not change. Each u_j is known to its own tolerance n * tol_j / sqrt(n sum d^2), kept beside it so
 * that ties are ties also between comparisons of different size. One-sided, u_j is the sum without its absolute
 * value. */
#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "stats/counts.h"
#include "stats/flips.h"
#include "stats/permute.h"

typedef struct {
    StFlips flips;  /* of d / sqrt(n sum d^2); empty when n > ST_FLIP_MAX */
    double *d;      /* [n] the same numbers */
    double seen;    /* u as observed */
    double slack;   /* tolerance of u */
    StMaxTRow *row; /* where its p goes */
} Column;

static double statistic(double sum, bool one_sided) {
    return one_sided ? sum : fabs(sum);
}

static StStatus column_init(Column *c, const double *d, size_t n, double scale, bool exact, bool one_sided) {
    StSample s;
    StStatus status = st_sample_init(&s, d, n, scale);
    if (status != ST_OK) return status;
    c->d = mem_alloc(n, sizeof *c->d);
    double largest = st_scale(s.x, NULL, n), squares = 0.0, sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        double u = largest > 0.0 ? s.x[i] / largest : 0.0;
        squares += u * u;
    }
    double divisor = largest > 0.0 ? largest * sqrt((double)n * squares) : 1.0;
    for (size_t i = 0; i < n; i++) { /* seeds keep their place: flips are joint */
        c->d[i] = fabs(d[i]) <= s.tol ? 0.0 : d[i] / divisor;
        sum += c->d[i];
    }
    c->seen = statistic(sum, one_sided);
    c->slack = largest > 0.0 ? (double)n * s.tol / divisor : 0.0;
    st_sample_release(&s);
    if (exact) {
        st_flips_init(&c->flips, c->d, n);
        c->seen = statistic(st_flips_sum(&c->flips, 0), one_sided);
    }
    return ST_OK;
}

static void columns_free(Column *c, size_t k) {
    for (size_t j = 0; j < k; j++) {
        st_flips_release(&c[j].flips);
        free(c[j].d);
    }
    free(c);
}

/* Counts one flip, of weight `times`. u[k] holds the flipped statistics, columns in falling order of `seen`. */
static void count_flip(const Column *c, size_t k, const double *u, uint64_t times) {
    double run = -INFINITY;
    for (size_t j = k; j-- > 0;) {
        run = fmax(run, u[j] + c[j].slack);
        if (run >= c[j].seen - c[j].slack) c[j].row->step_count += times;
    }
    for (size_t j = 0; j < k; j++) {
        double least = c[j].seen - c[j].slack;
        if (run >= least) c[j].row->single_count += times;
        if (u[j] + c[j].slack >= least) c[j].row->raw_count += times;
    }
}

/* One column alone: its three counts are one. */
static uint64_t flip_one(Column *c, bool one_sided) {
    uint64_t (*reach)(StFlips *, double, double) = one_sided ? st_flips_reach : st_flips_reach_either;
    c->row->raw_count = c->row->single_count = c->row->step_count = reach(&c->flips, c->slack, c->seen - c->slack);
    return c->flips.patterns;
}

/* Half of all patterns, each standing for its complement too, whose sums are the negated ones. */
static uint64_t flip_all(Column *c, size_t k, size_t n, bool one_sided, double *u) {
    if (k == 1) return flip_one(c, one_sided);
    uint64_t half = (uint64_t)1 << (n - 1);
    for (uint64_t pattern = 0; pattern < half; pattern++) {
        for (size_t j = 0; j < k; j++) u[j] = statistic(st_flips_sum(&c[j].flips, pattern), one_sided);
        count_flip(c, k, u, one_sided ? 1 : 2);
        for (size_t j = 0; j < k && one_sided; j++) u[j] = -u[j];
        if (one_sided) count_flip(c, k, u, 1);
    }
    return 2 * half;
}

/* u: [k]. sum: [k][ST_FLIP_BATCH]. */
static void flip_some(const Column *c, size_t k, size_t n, bool one_sided, double *u, double *sum, StFlipDraws *draws) {
    for (uint64_t left = st_flip_draws(n); left > 0; left -= draws->count) {
        st_flip_draws_next(draws, left);
        for (size_t j = 0; j < k; j++) st_flip_draws_sums(draws, c[j].d, sum + j * ST_FLIP_BATCH);
        for (size_t at = 0; at < draws->count; at++) {
            for (size_t j = 0; j < k; j++) u[j] = statistic(sum[j * ST_FLIP_BATCH + at], one_sided);
            count_flip(c, k, u, 1);
        }
    }
}

/* Step-down p of column j in `total` flips, the first of which is the observed pattern, with its interval: they never
 * fall along the order, so the caller passes the largest count so far. */
static void step_p(const Column *c, uint64_t run, uint64_t total) {
    StCp cp = st_cp(run - 1, total - 1, .999);
    c->row->step = (double)run / (double)total;
    c->row->lo = cp.lo, c->row->hi = cp.hi;
}

static bool settled(const Column *c, size_t k, uint64_t total, double alpha) {
    uint64_t run = 0;
    for (size_t j = 0; j < k; j++) {
        run = c[j].row->step_count > run ? c[j].row->step_count : run;
        step_p(&c[j], run, total);
        if (c[j].row->lo <= alpha && alpha <= c[j].row->hi) return false;
    }
    return true;
}

/* Random flips, and more of them where alpha is within the interval of a p. */
static uint64_t flip_until_settled(const Column *c, size_t k, size_t n, bool one_sided, double alpha, double *u,
                                   StFlipDraws *draws) {
    uint64_t total = 1; /* the observed pattern */
    for (size_t j = 0; j < k; j++) c[j].row->raw_count = c[j].row->single_count = c[j].row->step_count = 1;
    double work = (double)st_flip_draws(n) * (double)k * (double)n;
    for (int times = 1; times <= ST_FLIP_REFINE; times++) {
        flip_some(c, k, n, one_sided, u, u + k, draws);
        total += st_flip_draws(n);
        if (!(alpha > 0) || work * (times + 1) > ST_FLIP_WORK || settled(c, k, total, alpha)) break;
    }
    return total;
}

static int by_seen(const void *x, const void *y) {
    const Column *a = x, *b = y;
    if (a->seen != b->seen) return a->seen > b->seen ? -1 : 1;
    return (a->row > b->row) - (a->row < b->row);
}

static void flip(StMaxT *r, Column *c, bool one_sided, double alpha, StKey key) {
    OWNED double *u = mem_alloc(r->k, (1 + ST_FLIP_BATCH) * sizeof *u);
    StFlipDraws draws = {0};
    if (!r->exact) st_flip_draws_init(&draws, r->n, key);
    qsort(c, r->k, sizeof *c, by_seen);
    r->total = r->exact ? flip_all(c, r->k, r->n, one_sided, u)
                        : flip_until_settled(c, r->k, r->n, one_sided, alpha, u, &draws);
    r->p_min = (r->exact && !one_sided ? 2.0 : 1.0) / (double)r->total;
    uint64_t run = 0;
    for (size_t j = 0; j < r->k; j++) { /* step-down p never fall along the order */
        run = c[j].row->step_count > run ? c[j].row->step_count : run;
        c[j].row->step_count = run;
        c[j].row->step = c[j].row->lo = c[j].row->hi = (double)run / (double)r->total;
        if (!r->exact) step_p(&c[j], run, r->total);
        c[j].row->single = (double)c[j].row->single_count / (double)r->total;
        c[j].row->raw = (double)c[j].row->raw_count / (double)r->total;
    }
    st_flip_draws_release(&draws);
}

static StMaxT joint(const double *d, size_t k, size_t n, const double *scale, bool one_sided, double alpha, StKey key,
                    StMaxTRow *rows) {
    StMaxT r = {ST_N_TOO_SMALL, k, n, n <= ST_FLIP_MAX, 0, NAN};
    for (size_t j = 0; j < k; j++) rows[j] = (StMaxTRow){NAN, NAN, NAN, 0, 0, 0, NAN, NAN};
    if (n == 0 || k == 0) return r;
    Column *c = mem_alloc(k, sizeof *c);
    for (size_t j = 0; j < k; j++) c[j] = (Column){.row = &rows[j]};
    r.status = ST_OK;
    for (size_t j = 0; j < k && r.status == ST_OK; j++)
        r.status = column_init(&c[j], d + j * n, n, scale ? scale[j] : 0.0, r.exact, one_sided);
    if (r.status == ST_OK) flip(&r, c, one_sided, alpha, key);
    columns_free(c, k);
    return r;
}

StMaxT st_maxT(const double *d, size_t k, size_t n, const double *scale, double alpha, StKey key, StMaxTRow *rows) {
    return joint(d, k, n, scale, false, alpha, key, rows);
}

StStatus st_maxT_tost(const double *d, size_t k, size_t n, const double *scale, const double *margin, double alpha,
                      StKey key, double *p) {
    for (size_t j = 0; j < k; j++)
        if (!(margin[j] > 0.0) || !isfinite(margin[j])) return ST_BAD_ARG;
    OWNED double *shifted = mem_alloc(2 * k * n, sizeof *shifted), *size = mem_alloc(2 * k, sizeof *size);
    OWNED StMaxTRow *rows = mem_alloc(2 * k, sizeof *rows);
    for (size_t j = 0; j < k; j++) {
        size[j] = size[k + j] = fmax(scale ? scale[j] : st_scale(d + j * n, NULL, n), margin[j]);
        for (size_t i = 0; i < n; i++) {
            shifted[j * n + i] = d[j * n + i] + margin[j];
            shifted[(k + j) * n + i] = margin[j] - d[j * n + i];
        }
    }
    size_t together = k == 1 && n <= ST_FLIP_MAX ? 1 : 2 * k; /* of one comparison each side counts alone */
    StStatus status = k > 0 ? ST_OK : ST_N_TOO_SMALL;
    for (size_t at = 0; at < 2 * k && status == ST_OK; at += together)
        status = joint(shifted + at * n, together, n, size + at, true, alpha, key, rows + at).status;
    for (size_t j = 0; j < k && status == ST_OK; j++) {
        double above = k == 1 ? rows[j].raw : rows[j].step, below = k == 1 ? rows[k + j].raw : rows[k + j].step;
        p[j] = fmax(above, below);
    }
    return status;
}
