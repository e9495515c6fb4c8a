#include "stats/ridge.h"

#include <gsl/gsl_linalg.h>
#include <math.h>
#include <stdlib.h>

#include "base/error.h"

struct StRidge {
    size_t d, classes, n;
    double *square; /* [d][d] sums of x x^T, its lower half; after the fit a Cholesky factor. Owns all below */
    double *mean;   /* [d] sums of x; after the fit their mean */
    double *weight; /* [classes][d] sums of x over a class; after the fit its weights */
    double *share;  /* [classes] observations; after the fit their share */
};

StRidge *st_ridge_new(size_t d, size_t classes) {
    if (!d || !classes || d >= 1 << 20) return NULL;
    StRidge *r = mem_alloc(1, sizeof *r);
    double *all = mem_alloc(d + 1 + classes, (d + 1) * sizeof *all);
    *r = (StRidge){d, classes, 0, all, all + d * d, all + d * d + d, all + d * d + d + classes * d};
    return r;
}

void st_ridge_free(StRidge *r) {
    if (r) free(r->square);
    free(r);
}

void st_ridge_add(StRidge *r, const double *x, size_t class) {
    double *weight = r->weight + class * r->d;
    for (size_t i = 0; i < r->d; i++) {
        double *row = r->square + i * r->d, xi = x[i];
        for (size_t j = 0; j <= i; j++) row[j] += xi * x[j];
        r->mean[i] += xi;
        weight[i] += xi;
    }
    r->share[class] += 1.0;
    r->n++;
}

/* Sums about the mean; returns tr(S). */
static double centre(StRidge *r) {
    double n = (double)r->n, trace = 0.0;
    for (size_t i = 0; i < r->d; i++) r->mean[i] /= n;
    for (size_t i = 0; i < r->d; i++) {
        for (size_t j = 0; j <= i; j++) r->square[i * r->d + j] -= n * r->mean[i] * r->mean[j];
        trace += r->square[i * r->d + i];
    }
    for (size_t k = 0; k < r->classes; k++) {
        for (size_t i = 0; i < r->d; i++) r->weight[k * r->d + i] -= r->share[k] * r->mean[i];
        r->share[k] /= n;
    }
    return trace;
}

StStatus st_ridge_fit(StRidge *r, double lambda) {
    if (!(lambda > 0.0)) return ST_BAD_ARG;
    if (r->n < 2) return ST_N_TOO_SMALL;
    double size = 0.0;
    for (size_t i = 0; i < r->d; i++) size += r->square[i * r->d + i];
    double trace = centre(r);
    if (!isfinite(trace)) return ST_NONFINITE_INPUT;
    if (trace <= st_tol(size)) return ST_DEGENERATE;
    for (size_t i = 0; i < r->d; i++) r->square[i * r->d + i] += lambda * trace / (double)r->d;
    gsl_matrix_view square = gsl_matrix_view_array(r->square, r->d, r->d);
    if (gsl_linalg_cholesky_decomp1(&square.matrix)) return ST_DEGENERATE;
    for (size_t k = 0; k < r->classes; k++) {
        gsl_vector_view weight = gsl_vector_view_array(r->weight + k * r->d, r->d);
        gsl_linalg_cholesky_svx(&square.matrix, &weight.vector);
    }
    return ST_OK;
}

size_t st_ridge_class(const StRidge *r, const double *x, double *score) {
    size_t best = 0;
    double most = -INFINITY;
    for (size_t k = 0; k < r->classes; k++) {
        const double *weight = r->weight + k * r->d;
        double sum = r->share[k];
        for (size_t i = 0; i < r->d; i++) sum += (x[i] - r->mean[i]) * weight[i];
        if (sum > most) {
            most = sum;
            best = k;
        }
    }
    if (score) *score = most;
    return best;
}
