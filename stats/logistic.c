/* Logistic regression by Newton's method (= iteratively reweighted least squares). Predictors are centred and scaled
 * before the fit.
 *
 * Separation shows in how Newton's method ends: near a true optimum the steps vanish together with what they gain,
 * while on a separated set each step still moves by about 1 when the gain is long below 1e-12. */
#include <gsl/gsl_blas.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "stats/regress.h"

#define STEPS_MAX 100
#define GAIN_END 1e-12
#define STEP_SPLIT 0.1

typedef struct {
    size_t n, q; /* q = p + 1 */
    const unsigned char *y;
    double *z;                            /* [n][q] scaled predictors, a column of ones first; own_count all below */
    gsl_vector_view beta, gradient, step; /* [q] */
    gsl_matrix_view information;          /* [q][q], then its Cholesky factor */
} Fit;

/* log(1 + exp(t)) without overflow. */
static double softplus(double t) {
    return t > 0.0 ? t + log1p(exp(-t)) : log1p(exp(t));
}

static double predictor(const Fit *f, size_t i) {
    double eta = 0.0;
    for (size_t j = 0; j < f->q; j++) eta += f->z[i * f->q + j] * gsl_vector_get(&f->beta.vector, j);
    return eta;
}

/* What observation i adds to the deviance. */
static double part_of(const Fit *f, size_t i) {
    double eta = predictor(f, i);
    return 2.0 * softplus(f->y[i] ? -eta : eta);
}

static double deviance_of(const Fit *f) {
    double deviance = 0.0;
    for (size_t i = 0; i < f->n; i++) deviance += part_of(f, i);
    return deviance;
}

static void differentiate(Fit *f) {
    gsl_vector_set_zero(&f->gradient.vector);
    gsl_matrix_set_zero(&f->information.matrix);
    for (size_t i = 0; i < f->n; i++) {
        const double *z = f->z + i * f->q;
        double chance = 1.0 / (1.0 + exp(-predictor(f, i)));
        for (size_t j = 0; j < f->q; j++) {
            *gsl_vector_ptr(&f->gradient.vector, j) += z[j] * ((double)f->y[i] - chance);
            for (size_t k = 0; k <= j; k++)
                *gsl_matrix_ptr(&f->information.matrix, j, k) += z[j] * z[k] * chance * (1.0 - chance);
        }
    }
}

/* Factors the information; false when it is singular against what its diagonal was. */
static bool factor(Fit *f) {
    double largest = 0.0, smallest = INFINITY;
    for (size_t j = 0; j < f->q; j++) largest = fmax(largest, gsl_matrix_get(&f->information.matrix, j, j));
    if (gsl_linalg_cholesky_decomp1(&f->information.matrix) != GSL_SUCCESS) return false;
    for (size_t j = 0; j < f->q; j++) {
        double pivot = gsl_matrix_get(&f->information.matrix, j, j);
        smallest = fmin(smallest, pivot * pivot);
    }
    return smallest > 1e-12 * largest;
}

/* beta += step, halved until the deviance does not rise. Returns the deviance. */
static double advance(Fit *f, double before) {
    gsl_vector_add(&f->beta.vector, &f->step.vector);
    double deviance = deviance_of(f);
    for (int i = 0; i < 40 && !(deviance <= before * (1.0 + 1e-14) + 1e-14); i++) {
        gsl_vector_scale(&f->step.vector, 0.5);
        gsl_vector_sub(&f->beta.vector, &f->step.vector);
        deviance = deviance_of(f);
    }
    return deviance;
}

static void iterate(Fit *f, StLogistic *r) {
    r->status = ST_NO_CONVERGENCE;
    r->deviance = deviance_of(f);
    for (int i = 0; i < STEPS_MAX; i++) {
        double gain;
        differentiate(f);
        if (!factor(f)) { /* at beta = 0 the predictors are at fault, later the fitted chances */
            r->status = ST_DEGENERATE;
            r->separated = i > 0;
            break;
        }
        gsl_linalg_cholesky_solve(&f->information.matrix, &f->gradient.vector, &f->step.vector);
        gsl_blas_ddot(&f->gradient.vector, &f->step.vector, &gain);
        double longest = fabs(gsl_vector_get(&f->step.vector, gsl_blas_idamax(&f->step.vector)));
        if (gain <= GAIN_END && longest > STEP_SPLIT) {
            r->separated = true;
            r->status = ST_DEGENERATE;
            break;
        }
        r->deviance = advance(f, r->deviance);
        if (gain <= GAIN_END) { /* the step just made leaves an error of the size of `gain` */
            differentiate(f);
            r->status = factor(f) ? ST_OK : ST_NO_CONVERGENCE;
            break;
        }
    }
}

/* Scales the predictors; false when one has no spread. */
static bool load(Fit *f, const double *x) {
    size_t p = f->q - 1;
    for (size_t i = 0; i < f->n; i++) f->z[i * f->q] = 1.0;
    for (size_t j = 1; j < f->q; j++) {
        double sum = 0.0, squares = 0.0, largest = 0.0;
        for (size_t i = 0; i < f->n; i++) {
            sum += x[i * p + j - 1] / (double)f->n;
            largest = fmax(largest, fabs(x[i * p + j - 1]));
        }
        for (size_t i = 0; i < f->n; i++) {
            double u = x[i * p + j - 1] - sum;
            squares += u * u;
        }
        double width = sqrt(squares / (double)f->n);
        if (width <= st_tol(largest)) return false;
        for (size_t i = 0; i < f->n; i++) f->z[i * f->q + j] = (x[i * p + j - 1] - sum) / width;
    }
    return true;
}

static void fit_alloc(Fit *f) {
    size_t q = f->q;
    f->z = mem_alloc(f->n + 3 + q, q * sizeof *f->z);
    double *beta = f->z + f->n * q;
    f->beta = gsl_vector_view_array(beta, q);
    f->gradient = gsl_vector_view_array(beta + q, q);
    f->step = gsl_vector_view_array(beta + 2 * q, q);
    f->information = gsl_matrix_view_array(beta + 3 * q, q, q);
}

static StStatus check(const double *x, const unsigned char *y, size_t n, size_t p) {
    if (p == 0 || p > 1000 || n > SIZE_MAX / (16 * (p + 1)) || !x || !y) return ST_BAD_ARG;
    if (n < p + 2) return ST_N_TOO_SMALL;
    for (size_t i = 0; i < n; i++)
        if (y[i] > 1) return ST_BAD_ARG;
    return st_check_finite(x, n * p);
}

StLogistic st_logistic(const double *x, const unsigned char *y, size_t n, size_t p, double *each) {
    StLogistic r = {check(x, y, n, p), NAN, false};
    if (r.status != ST_OK) return r;
    Fit f = {.n = n, .q = p + 1, .y = y};
    fit_alloc(&f);
    if (!load(&f, x)) {
        r.status = ST_DEGENERATE;
    } else {
        iterate(&f, &r);
        for (size_t i = 0; i < n && each; i++) each[i] = part_of(&f, i);
        if (r.status != ST_OK && !r.separated) r.deviance = NAN;
    }
    free(f.z);
    return r;
}
