/* Friedman's test and pairs of mean ranks by relabelling. Ranks, and so ranges of their sums, are multiples of 1/2. */
#include "stats/friedman.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "stats/relabel_blocks.h"

typedef struct {
    size_t k;
    double squares;     /* of the observed sums, less what rounding can add */
    uint64_t count;     /* relabellings with as many or more */
    uint64_t *reaching; /* [2 n (k - 1) + 1]: relabellings whose range of sums is place / 2 */
} Tally;

static double squares(const double *sum, size_t k) {
    double all = 0.0;
    for (size_t j = 0; j < k; j++) all += sum[j] * sum[j];
    return all;
}

static void observed(void *context, const double *sum) {
    Tally *t = context;
    t->squares = squares(sum, t->k) * (1.0 - 1e-12);
}

static void tally(void *context, const double *sum) {
    Tally *t = context;
    double least = sum[0], most = sum[0];
    for (size_t j = 1; j < t->k; j++) {
        least = fmin(least, sum[j]);
        most = fmax(most, sum[j]);
    }
    t->count += squares(sum, t->k) >= t->squares;
    t->reaching[(size_t)lround(2.0 * (most - least))]++;
}

/* Below, or as large within the tolerance; infinities are tied. */
static double below(double other, double own, double tol) {
    if (isinf(other) || isinf(own)) return isinf(other) && isinf(own) ? 0.5 : isinf(own) ? 1.0 : 0.0;
    return fabs(other - own) <= tol ? 0.5 : other < own ? 1.0 : 0.0;
}

static void rank_blocks(const double *x, size_t k, size_t n, double *rank) {
    double tol = st_tol(st_scale(x, NULL, k * n));
    for (size_t s = 0; s < n; s++) {
        for (size_t i = 0; i < k; i++) {
            rank[i * n + s] = 0.5; /* itself: half of a tie */
            for (size_t j = 0; j < k; j++) rank[i * n + s] += below(x[j * n + s], x[i * n + s], tol);
        }
    }
}

/* The share of relabellings that reach a range, from counts that were added up from above. */
static double share(const Tally *t, double sums, uint64_t total) {
    return (double)t->reaching[(size_t)lround(2.0 * sums)] / (double)total;
}

static void fill(StFriedman *r, Tally *t, size_t most, double alpha, const double *mean_rank, double *pair) {
    double k = (double)r->k, n = (double)r->n, sum = 0.0;
    for (size_t i = most; i-- > 0;) t->reaching[i] += t->reaching[i + 1];
    for (size_t i = most + 1; i-- > 1 && (double)t->reaching[i] < alpha * (double)r->total;)
        if (t->reaching[i] > 0) r->critical = (double)i / 2.0 / n;
    for (size_t i = 0; i < r->k; i++) {
        sum += mean_rank[i] * mean_rank[i];
        for (size_t j = 0; pair && j < r->k; j++)
            pair[i * r->k + j] = share(t, n * fabs(mean_rank[i] - mean_rank[j]), r->total);
    }
    r->chi2 = 12.0 * n / (k * (k + 1.0)) * (sum - k * (k + 1.0) * (k + 1.0) / 4.0);
    r->count = t->count;
    r->p = (double)r->count / (double)r->total;
    r->p_min = 1.0 / (double)r->total;
}

StFriedman st_friedman(const double *x, size_t k, size_t n, double alpha, StKey key, double *mean_rank, double *pair) {
    StFriedman r = {ST_BAD_ARG, k, n, false, NAN, NAN, NAN, NAN, 0, 0};
    if (!x || k == 0 || n == 0 || n > SIZE_MAX / 16 / k) return r;
    for (size_t i = 0; i < k * n; i++) {
        if (isnan(x[i]) || x[i] < -ST_HUGE) {
            r.status = ST_NONFINITE_INPUT;
            return r;
        }
    }
    size_t most = 2 * n * (k - 1);
    Tally t = {.k = k, .reaching = mem_alloc(most + 1, sizeof *t.reaching)};
    OWNED double *rank = mem_alloc(k * n, sizeof *rank);
    rank_blocks(x, k, n, rank);
    for (size_t i = 0; i < k; i++) {
        mean_rank[i] = 0.0;
        for (size_t s = 0; s < n; s++) mean_rank[i] += rank[i * n + s];
        mean_rank[i] /= (double)n;
    }
    StRelabelBlocks all = st_relabel_blocks(rank, k, n, key, observed, tally, &t);
    r.status = all.status;
    r.exact = all.exact;
    r.total = all.total;
    if (r.status == ST_OK) fill(&r, &t, most, alpha, mean_rank, pair);
    free(t.reaching);
    return r;
}
