/* Omnibus test by relabelling variants within seeds, see permute.h.
 *
 * With every seed's mean taken out, the statistic is sum_j (sum_s x_js)^2: total spread of the variant sums. Its square
 * root is a norm, so an error of n * tol in each of k sums moves it by at most sqrt(k) * n * tol. */
#include <math.h>

#include "stats/permute.h"
#include "stats/relabel_blocks.h"

typedef struct {
    size_t k;
    double slack;    /* of the norm */
    double at_least; /* observed norm less its tolerance */
    uint64_t count;
} Tally;

static double norm(const double *sum, size_t k) {
    double squares = 0.0;
    for (size_t j = 0; j < k; j++) squares += sum[j] * sum[j];
    return sqrt(squares);
}

static void observed(void *context, const double *sum) {
    Tally *t = context;
    t->at_least = norm(sum, t->k) - t->slack;
}

static void tally(void *context, const double *sum) {
    Tally *t = context;
    t->count += norm(sum, t->k) >= t->at_least;
}

StOmnibus st_omnibus(const double *x, size_t k, size_t n, StKey key) {
    StOmnibus r = {ST_N_TOO_SMALL, false, NAN, 0, 0, NAN};
    Tally t = {.k = k};
    if (k >= 2 && n >= 2 && x && n <= SIZE_MAX / k)
        t.slack = sqrt((double)k) * (double)n * st_tol(st_scale(x, NULL, k * n));
    StRelabelBlocks all = st_relabel_blocks(x, k, n, key, observed, tally, &t);
    r.status = all.status;
    r.exact = all.exact;
    r.total = all.total;
    if (r.status == ST_OK) {
        r.count = t.count;
        r.p = (double)r.count / (double)r.total;
        r.p_min = 1.0 / (double)r.total;
    }
    return r;
}
