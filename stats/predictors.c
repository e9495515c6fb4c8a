#include "stats/predictors.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "stats/invert.h"
#include "stats/regress.h"
#include "stats/unpaired.h"

/* A deviance that iterations bring to a limit is known to about 1e-9; what lies below this is none. */
#define NOTHING 1e-6

/* Every run's deviance in the model of one number into each[n]. */
static StStatus explain(const double *x, const unsigned char *failed, size_t n, StPredictors *r, int k, double *each) {
    OWNED double *rank = mem_alloc(n, sizeof *rank);
    st_midranks(x, n, 0.0, rank);
    StLogistic l = st_logistic(rank, failed, n, 1, each);
    r->deviance[k] = l.deviance;
    r->separated[k] = l.separated && l.deviance < NOTHING;
    StStatus status = l.separated ? ST_OK : l.status;
    if (status == ST_DEGENERATE) { /* no spread: the share of failed runs is all that is known */
        double share = (double)r->failed / (double)n;
        for (size_t i = 0; i < n; i++) each[i] = -2.0 * log(failed[i] ? share : 1.0 - share);
        r->deviance[k] = r->null_deviance;
        status = ST_OK;
    }
    if (r->separated[k]) r->deviance[k] = 0.0;
    for (size_t i = 0; i < n && r->separated[k]; i++) each[i] = 0.0;
    return status;
}

/* each: [2][seeds][runs]; d: [seeds], below 0 where the second number explains the seed better. */
static void compare(StPredictors *r, const double *each, size_t seeds, size_t runs, double *d, double conf, StKey key) {
    for (size_t s = 0; s < seeds; s++) {
        d[s] = 0.0;
        for (size_t i = s * runs; i < (s + 1) * runs; i++) d[s] += each[seeds * runs + i] - each[i];
        d[s] = fabs(d[s]) < NOTHING ? 0.0 : d[s];
    }
    StSignflip flip = st_signflip(d, seeds, r->null_deviance, ST_TWO_SIDED, key);
    r->status = flip.status;
    r->p = flip.p;
    r->p_min = flip.p_min;
    StFlipCi ci = st_flip_ci(d, seeds, r->null_deviance, conf, key);
    r->lo = (double)seeds * ci.lo, r->hi = (double)seeds * ci.hi; /* the difference is the sum over seeds */
}

StPredictors st_predictors(const double *first, const double *second, const unsigned char *failed, size_t seeds,
                           size_t runs, double conf, StKey key) {
    size_t n = seeds * runs;
    StPredictors r = {ST_N_TOO_SMALL, n, 0, NAN, {NAN, NAN}, NAN, NAN, NAN, {false, false}, NAN, NAN};
    if (seeds == 0 || n < 3) return r;
    r.status = st_check_finite(first, n);
    r.status = r.status == ST_OK ? st_check_finite(second, n) : r.status;
    for (size_t i = 0; i < n; i++) r.failed += failed[i];
    if (r.status != ST_OK) return r;
    double *each = mem_alloc(2 * n + seeds, sizeof *each), share = (double)r.failed / (double)n;
    bool any = r.failed > 0 && r.failed < n;
    r.null_deviance = any ? -2.0 * (double)n * (share * log(share) + (1.0 - share) * log(1.0 - share)) : 0.0;
    r.deviance[0] = r.deviance[1] = 0.0;
    for (int k = 0; any && k < 2 && r.status == ST_OK; k++)
        r.status = explain(k ? second : first, failed, n, &r, k, each + (size_t)k * n);
    if (r.status == ST_OK) {
        r.difference = r.deviance[1] - r.deviance[0];
        compare(&r, each, seeds, runs, each + 2 * n, conf, key);
    }
    free(each);
    return r;
}
