/* Statuses, the tie tolerance and the ascending sample every test works on. */
#include "stats/status.h"

#include <float.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

void st_init(void) {
    gsl_set_error_handler_off();
}

const char *st_status_text(StStatus status) {
    static const char *const text[ST_STATUS_COUNT] = {
        [ST_OK] = "ok",
        [ST_N_TOO_SMALL] = "too few seeds",
        [ST_DEGENERATE] = "all values equal",
        [ST_NOT_REACHABLE] = "p floor above alpha",
        [ST_NONFINITE_INPUT] = "input not finite or beyond 1e100",
        [ST_BAD_ARG] = "bad argument",
        [ST_NO_CONVERGENCE] = "no convergence",
        [ST_ONE_SAMPLE] = "both sides are the same runs",
    };
    return (unsigned)status < ST_STATUS_COUNT ? text[status] : "unknown status";
}

double st_tol(double scale) {
    return fmax(64.0 * DBL_EPSILON * scale, ST_TINY);
}

double st_mean(const double *x, size_t n) {
    double sum = 0.0, rest = 0.0;
    for (size_t i = 0; i < n; i++) sum += x[i];
    for (size_t i = 0; i < n; i++) rest += x[i] - sum / (double)n;
    return sum / (double)n + rest / (double)n;
}

double st_scale(const double *a, const double *b, size_t n) {
    double scale = 0.0;
    for (size_t i = 0; i < n; i++) {
        if (isfinite(a[i])) scale = fmax(scale, fabs(a[i]));
        if (b && isfinite(b[i])) scale = fmax(scale, fabs(b[i]));
    }
    return scale;
}

StStatus st_check_finite(const double *x, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!(fabs(x[i]) <= ST_HUGE)) /* true for NaN as well */
            return ST_NONFINITE_INPUT;
    return ST_OK;
}

int st_compare_double(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void *st_or_end(void *p) {
    if (!p) mem_end(0);
    return p;
}

StStatus st_sample_init(StSample *sample, const double *x, size_t n, double scale) {
    *sample = (StSample){.n = n};
    if (n == 0) return ST_N_TOO_SMALL;
    if (!x || !(scale >= 0.0)) return ST_BAD_ARG;
    if (st_check_finite(x, n) != ST_OK || scale > ST_HUGE) return ST_NONFINITE_INPUT;
    double largest = st_scale(x, NULL, n);
    sample->tol = st_tol(scale > 0.0 ? fmax(scale, largest / 2.0) : largest);
    sample->x = mem_alloc(n, sizeof *sample->x);
    for (size_t i = 0; i < n; i++) sample->x[i] = fabs(x[i]) <= sample->tol ? 0.0 : x[i];
    qsort(sample->x, n, sizeof *sample->x, st_compare_double);
    return ST_OK;
}

void st_sample_release(StSample *sample) {
    free(sample->x);
    *sample = (StSample){0};
}

double st_sample_mean(const StSample *sample) {
    double sum = 0.0, rest = 0.0;
    for (size_t i = 0; i < sample->n; i++) sum += sample->x[i];
    double mean = sum / (double)sample->n;
    for (size_t i = 0; i < sample->n; i++) /* what rounding left over */
        rest += sample->x[i] - mean;
    return mean + rest / (double)sample->n;
}

double st_sample_sd(const StSample *sample) {
    double mean = st_sample_mean(sample), sum = 0.0;
    for (size_t i = 0; i < sample->n; i++) {
        double u = sample->x[i] - mean;
        sum += u * u;
    }
    return sqrt(sum / (double)(sample->n - 1));
}

double st_sample_median(const StSample *sample) {
    return gsl_stats_median_from_sorted_data(sample->x, 1, sample->n);
}
