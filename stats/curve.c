/* Lines, areas, interpolation and spikes of curves. */
#include "stats/curve.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_fit.h>
#include <gsl/gsl_interp.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

static bool increasing(const double *x, size_t n) {
    for (size_t i = 1; i < n; i++) {
        if (!(x[i] > x[i - 1])) {
            return false;
        }
    }
    return true;
}

static bool all_equal(const double *x, size_t n) {
    double tol = st_tol(st_scale(x, NULL, n)), lo = x[0], hi = x[0];
    for (size_t i = 1; i < n; i++) {
        lo = fmin(lo, x[i]);
        hi = fmax(hi, x[i]);
    }
    return hi - lo <= tol;
}

static StStatus check_points(const double *x, const double *y, size_t n, size_t least) {
    if (n < least) {
        return ST_N_TOO_SMALL;
    }
    if (x == NULL || y == NULL) {
        return ST_BAD_ARG;
    }
    return st_check_finite(x, n) != ST_OK ? ST_NONFINITE_INPUT : st_check_finite(y, n);
}

StLine st_line(const double *x, const double *y, size_t n) {
    StLine r = {check_points(x, y, n, 2), n, NAN, NAN, NAN, NAN};
    if (r.status != ST_OK) {
        return r;
    }
    if (all_equal(x, n)) {
        r.status = ST_DEGENERATE;
        return r;
    }
    double c00, c01, c11;
    gsl_fit_linear(x, 1, y, 1, n, &r.intercept, &r.slope, &c00, &c01, &c11, &r.rss);
    r.se = n >= 3 ? sqrt(c11) : NAN;
    return r;
}

/* Scale of the residuals of a line: median size / .6745, as for a normal. size[n] is scratch. */
static double residual_scale(const double *x, const double *y, const StLine *r, double *size) {
    for (size_t i = 0; i < r->n; i++) {
        size[i] = fabs(y[i] - r->intercept - r->slope * x[i]);
    }
    qsort(size, r->n, sizeof *size, st_compare_double);
    return gsl_stats_median_from_sorted_data(size, 1, r->n) / 0.6745;
}

/* Tukey's weights (1 - u^2)^2, u = residual / (4.685 scale), until the line no longer changes. work: [2n]. */
static StStatus bisquare(const double *x, const double *y, StLine *r, double noise, double *work) {
    double *weight = work + r->n, c00, c01, c11, chisq;
    for (int round = 0; round < 200; round++) {
        StLine last = *r;
        double reach = 4.685 * fmax(residual_scale(x, y, r, work), noise);
        for (size_t i = 0; i < r->n; i++) {
            double u = (y[i] - r->intercept - r->slope * x[i]) / reach;
            weight[i] = fabs(u) < 1.0 ? (1.0 - u * u) * (1.0 - u * u) : 0.0;
        }
        gsl_fit_wlinear(x, 1, weight, 1, y, 1, r->n, &r->intercept, &r->slope, &c00, &c01, &c11, &chisq);
        if (!isfinite(r->slope) || !isfinite(r->intercept)) {
            return ST_NO_CONVERGENCE;
        }
        double moved = fabs(r->intercept - last.intercept) + fabs(r->slope - last.slope) * st_scale(x, NULL, r->n);
        if (moved <= fmax(noise, 1e-10 * reach)) {
            return ST_OK;
        }
    }
    return ST_NO_CONVERGENCE;
}

StLine st_line_robust(const double *x, const double *y, size_t n) {
    StLine r = st_line(x, y, n);
    if (r.status == ST_OK && n < 3) {
        r.status = ST_N_TOO_SMALL;
    }
    double *work = r.status == ST_OK ? st_alloc(n, 2 * sizeof *work) : NULL;
    if (r.status == ST_OK) {
        r.status = work != NULL ? bisquare(x, y, &r, st_tol(st_scale(y, NULL, n)), work) : ST_NO_MEMORY;
    }
    free(work);
    if (r.status != ST_OK) {
        return (StLine){r.status, n, NAN, NAN, NAN, NAN};
    }
    r.se = NAN;
    r.rss = 0.0;
    for (size_t i = 0; i < n; i++) {
        double u = y[i] - r.intercept - r.slope * x[i];
        r.rss += u * u;
    }
    return r;
}

/* One seed's slope; log_y is scratch. */
static StStatus one_slope(const double *log_x, const double *y, size_t points, double *log_y, double *slope) {
    for (size_t i = 0; i < points; i++) {
        if (y[i] <= 0.0) {
            return ST_BAD_ARG;
        }
        log_y[i] = log(y[i]);
    }
    StLine line = st_line(log_x, log_y, points);
    *slope = line.slope;
    return line.status;
}

StTci st_loglog(const double *x, const double *y, size_t seeds, size_t points, double conf, double *slopes) {
    StTci r = st_tci(NULL, 0, 0.0, conf); /* everything NaN */
    if (seeds == 0 || r.status == ST_BAD_ARG) {
        return r;
    }
    r.status = check_points(x, y, points, 2);
    r.status = r.status == ST_OK ? st_check_finite(y, seeds * points) : r.status;
    double *log_x = st_alloc(2 * points, sizeof *log_x);
    r.status = r.status == ST_OK && log_x == NULL ? ST_NO_MEMORY : r.status;
    for (size_t i = 0; i < points && r.status == ST_OK; i++) {
        r.status = x[i] > 0.0 ? ST_OK : ST_BAD_ARG;
        log_x[i] = x[i] > 0.0 ? log(x[i]) : NAN;
    }
    for (size_t s = 0; s < seeds && r.status == ST_OK; s++) {
        r.status = one_slope(log_x, y + s * points, points, log_x + points, &slopes[s]);
    }
    free(log_x);
    return r.status == ST_OK ? st_tci(slopes, seeds, 0.0, conf) : r;
}

StArea st_area(const double *x, const double *y, size_t n) {
    StArea r = {check_points(x, y, n, 2), NAN};
    if (r.status == ST_OK && !increasing(x, n)) {
        r.status = ST_BAD_ARG;
    }
    if (r.status == ST_OK) {
        double area = 0.0;
        for (size_t i = 1; i < n; i++) {
            area += (x[i] - x[i - 1]) * (y[i] / 2.0 + y[i - 1] / 2.0);
        }
        r.value = area / (x[n - 1] - x[0]);
    }
    return r;
}

StStatus st_curve_at(const double *x, const double *y, size_t n, const double *at, size_t m, double *out) {
    StStatus status = check_points(x, y, n, 3);
    if (status != ST_OK) {
        return status;
    }
    for (size_t i = 0; i < m; i++) {
        if (!(at[i] >= x[0] && at[i] <= x[n - 1])) {
            return ST_BAD_ARG;
        }
    }
    if (!increasing(x, n)) {
        return ST_BAD_ARG;
    }
    gsl_interp *curve = gsl_interp_alloc(gsl_interp_steffen, n);
    if (curve == NULL) {
        return ST_NO_MEMORY;
    }
    status = gsl_interp_init(curve, x, y, n) == GSL_SUCCESS ? ST_OK : ST_NO_CONVERGENCE;
    for (size_t i = 0; i < m && status == ST_OK; i++) {
        int code = gsl_interp_eval_e(curve, x, y, at[i], NULL, &out[i]);
        status = code == GSL_SUCCESS ? ST_OK : ST_NO_CONVERGENCE;
    }
    gsl_interp_free(curve);
    return status;
}

/* How many standard deviations y[at] lies above the window before it. */
static double z_of(const double *y, size_t at, size_t window) {
    double mean = 0.0, squares = 0.0;
    for (size_t i = at - window; i < at; i++) {
        mean += y[i];
    }
    mean /= (double)window;
    for (size_t i = at - window; i < at; i++) {
        squares += (y[i] - mean) * (y[i] - mean);
    }
    double tol = st_tol(st_scale(y + at - window, NULL, window + 1));
    return (y[at] - mean) / fmax(sqrt(squares / (double)window), tol);
}

StSpikes st_spikes(const double *y, size_t n, size_t window, double z) {
    StSpikes r = {ST_BAD_ARG, n, 0, 0, n, NAN};
    if (window < 2 || !(z > 0.0) || (y == NULL && n > 0)) {
        return r;
    }
    r.status = n <= window ? ST_N_TOO_SMALL : st_check_finite(y, n);
    for (size_t at = window; at < n && r.status == ST_OK; at++) {
        double here = z_of(y, at, window);
        r.max_z = r.judged++ > 0 ? fmax(r.max_z, here) : here;
        if (here > z) {
            r.first = r.count++ > 0 ? r.first : at;
        }
    }
    return r;
}
