/* Akaike's criterion, and exponential, linear and power growth on the log scale.
 *
 * The linear model has one shape parameter: with u = (x - min) / (max - min) and growth g = exp(rho), it reads log y =
 * level + log(1 + (g - 1) u). Given rho the level is a mean, so only rho is searched: a grid, then Brent. */
#include <gsl/gsl_errno.h>
#include <gsl/gsl_min.h>
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "stats/curve.h"
#include "stats/regress.h"

#define RHO_MAX 40.0
#define RHO_STEP 0.5

/* Akaike's criterion of a least-squares fit with two coefficients, the variance counting as one more. */
static double aic_of(double rss, size_t n) {
    return (double)n * log(rss / (double)n) + 6.0;
}

typedef struct {
    size_t n;
    double *log_y, *u; /* [n] each */
    double low, width; /* x = low + width u */
} Curve;

static double level_of(const Curve *c, double rho) {
    double level = 0.0;
    for (size_t i = 0; i < c->n; i++) level += (c->log_y[i] - log1p(expm1(rho) * c->u[i])) / (double)c->n;
    return level;
}

static double linear_rss(double rho, void *params) {
    const Curve *c = params;
    double level = level_of(c, rho), rss = 0.0;
    for (size_t i = 0; i < c->n; i++) {
        double e = c->log_y[i] - level - log1p(expm1(rho) * c->u[i]);
        rss += e * e;
    }
    return rss;
}

static void refine(Curve *c, double *rho, double *rss) {
    gsl_function f = {linear_rss, c};
    gsl_min_fminimizer *min = st_or_end(gsl_min_fminimizer_alloc(gsl_min_fminimizer_brent));
    int code = gsl_min_fminimizer_set(min, &f, *rho, *rho - RHO_STEP, *rho + RHO_STEP);
    for (int i = 0; i < 100 && code == GSL_SUCCESS; i++) {
        code = gsl_min_fminimizer_iterate(min);
        double lo = gsl_min_fminimizer_x_lower(min), hi = gsl_min_fminimizer_x_upper(min);
        if (code != GSL_SUCCESS || gsl_min_test_interval(lo, hi, 1e-10, 0.0) == GSL_SUCCESS) break;
    }
    double best = gsl_min_fminimizer_f_minimum(min);
    if (best <= *rss) { /* without a bracket, at an edge of the range, the grid's best is kept */
        *rss = best;
        *rho = gsl_min_fminimizer_x_minimum(min);
    }
    gsl_min_fminimizer_free(min);
}

static void fit_linear(Curve *c, double *rho, double *rss) {
    *rss = INFINITY;
    for (double at = -RHO_MAX; at <= RHO_MAX; at += RHO_STEP) {
        double here = linear_rss(at, c);
        if (here < *rss) {
            *rss = here;
            *rho = at;
        }
    }
    refine(c, rho, rss);
}

static StStatus load(Curve *c, const double *x, const double *y) {
    double high = x[0];
    c->low = x[0];
    for (size_t i = 0; i < c->n; i++) {
        if (y[i] <= 0.0) return ST_BAD_ARG;
        c->low = fmin(c->low, x[i]);
        high = fmax(high, x[i]);
        c->log_y[i] = log(y[i]);
    }
    c->width = high - c->low;
    if (c->width <= st_tol(fmax(fabs(c->low), fabs(high)))) return ST_DEGENERATE;
    for (size_t i = 0; i < c->n; i++) c->u[i] = (x[i] - c->low) / c->width;
    return ST_OK;
}

/* The power law is a line in log x; x > 0 is needed. */
static void fit_power(const Curve *c, double floor_rss, StGrowth *r) {
    if (!(c->low > 0.0)) return;
    OWNED double *log_x = mem_alloc(c->n, sizeof *log_x);
    for (size_t i = 0; i < c->n; i++) log_x[i] = log(c->low + c->width * c->u[i]);
    StLine line = st_line(log_x, c->log_y, c->n);
    r->power = line.slope;
    r->level_pow = line.intercept;
    r->aic_pow = aic_of(fmax(line.rss, floor_rss), c->n);
}

static void growth(Curve *c, StGrowth *r) {
    double scale = 1.0, rho = 0.0; /* logarithms are known to eps at best, however small */
    for (size_t i = 0; i < c->n; i++) scale = fmax(scale, fabs(c->log_y[i]));
    double floor_rss = (double)c->n * st_tol(scale) * st_tol(scale);
    StLine line = st_line(c->u, c->log_y, c->n); /* u spans [0, 1]: always there */
    fit_linear(c, &rho, &r->rss_lin);
    r->rss_exp = line.rss;
    if (r->rss_exp <= floor_rss && r->rss_lin <= floor_rss) {
        r->status = ST_DEGENERATE;
        return;
    }
    r->rate = line.slope / c->width;
    r->growth = exp(rho);
    r->aic_exp = aic_of(fmax(r->rss_exp, floor_rss), c->n);
    r->aic_lin = aic_of(fmax(r->rss_lin, floor_rss), c->n);
    r->delta = r->aic_exp - r->aic_lin;
    r->low = c->low, r->width = c->width;
    r->level_exp = line.intercept, r->level_lin = level_of(c, rho);
    fit_power(c, floor_rss, r);
}

static StGrowth nothing(StStatus status) {
    return (StGrowth){status, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
}

StGrowth st_growth(const double *x, const double *y, size_t n) {
    StGrowth r = nothing(ST_BAD_ARG);
    if (n < 3) {
        r.status = ST_N_TOO_SMALL;
        return r;
    }
    if (!x || !y) return r;
    r.status = st_check_finite(x, n) == ST_OK ? st_check_finite(y, n) : ST_NONFINITE_INPUT;
    if (r.status != ST_OK) return r;
    Curve c = {.n = n, .log_y = mem_alloc(n, 2 * sizeof *c.log_y)};
    c.u = c.log_y + n;
    r.status = load(&c, x, y);
    if (r.status == ST_OK) growth(&c, &r);
    free(c.log_y);
    if (r.status != ST_OK) r = nothing(r.status);
    return r;
}

double st_growth_at(const StGrowth *g, StLaw law, double x) {
    double u = (x - g->low) / g->width;
    switch (law) {
    case ST_LAW_LINEAR: return exp(g->level_lin) * (1.0 + (g->growth - 1.0) * u);
    case ST_LAW_EXPONENTIAL: return exp(g->level_exp + g->rate * (x - g->low));
    case ST_LAW_POWER: return exp(g->level_pow + g->power * log(x));
    }
    return NAN;
}
