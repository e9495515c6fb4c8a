/* A line through points. */
#include "stats/curve.h"

#include <gsl/gsl_fit.h>
#include <math.h>

static bool all_equal(const double *x, size_t n) {
    double tol = st_tol(st_scale(x, NULL, n)), lo = x[0], hi = x[0];
    for (size_t i = 1; i < n; i++) {
        lo = fmin(lo, x[i]);
        hi = fmax(hi, x[i]);
    }
    return hi - lo <= tol;
}

static StStatus check_points(const double *x, const double *y, size_t n) {
    if (n < 2) return ST_N_TOO_SMALL;
    if (!x || !y) return ST_BAD_ARG;
    return st_check_finite(x, n) != ST_OK ? ST_NONFINITE_INPUT : st_check_finite(y, n);
}

StLine st_line(const double *x, const double *y, size_t n) {
    StLine r = {check_points(x, y, n), NAN, NAN, NAN};
    if (r.status != ST_OK) return r;
    if (all_equal(x, n)) {
        r.status = ST_DEGENERATE;
        return r;
    }
    double c00, c01, c11;
    gsl_fit_linear(x, 1, y, 1, n, &r.intercept, &r.slope, &c00, &c01, &c11, &r.rss);
    return r;
}
