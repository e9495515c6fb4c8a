/* Noncentral t by quadrature over the chi variable, and its inversion. */
#include "stats/power.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_integration.h>
#include <gsl/gsl_sf_gamma.h>
#include <math.h>

#define N_MAX 1000000u
#define D_MAX 1e6
#define INTERVALS 1000

typedef struct {
    double delta, df, critical;
    double log_norm; /* logarithm of the chi density's constant */
} Design;

/* Density of the chi variable times the chance to reject given it; the rule never asks at w = 0. */
static double rejection(double w, void *params) {
    const Design *p = params;
    double density = exp(p->log_norm + (p->df - 1.0) * log(w) - 0.5 * w * w);
    double edge = p->critical * w / sqrt(p->df);
    return density * (gsl_cdf_ugaussian_P(p->delta - edge) + gsl_cdf_ugaussian_P(-p->delta - edge));
}

/* The density's bulk lies within a few units of sqrt(df) (its sd is below .71): 13 leaves out less than 1e-30. */
static StStatus integrate(Design *p, gsl_integration_workspace *work, double *power) {
    gsl_function f = {rejection, p};
    double middle = sqrt(p->df), error;
    int code = gsl_integration_qag(&f, fmax(0.0, middle - 13.0), middle + 13.0, 1e-12, 1e-10, INTERVALS,
                                   GSL_INTEG_GAUSS61, work, power, &error);
    *power = fmin(1.0, *power);
    return code == GSL_SUCCESS ? ST_OK : ST_NO_CONVERGENCE;
}

static StStatus power_of(double d_z, size_t n, double alpha, gsl_integration_workspace *work, double *power) {
    double df = (double)n - 1.0;
    Design p = {fabs(d_z) * sqrt((double)n), df, gsl_cdf_tdist_Qinv(alpha / 2.0, df),
                (1.0 - df / 2.0) * M_LN2 - gsl_sf_lngamma(df / 2.0)};
    return integrate(&p, work, power);
}

static bool valid_level(double x) {
    return x > 0.0 && x < 1.0;
}

StPower st_power(double d_z, size_t n, double alpha) {
    StPower r = {ST_BAD_ARG, n, d_z, alpha, NAN, 0};
    if (!(fabs(d_z) <= D_MAX) || !valid_level(alpha) || n > N_MAX) return r;
    if (n < 2) {
        r.status = ST_N_TOO_SMALL;
        return r;
    }
    gsl_integration_workspace *work = st_or_end(gsl_integration_workspace_alloc(INTERVALS));
    r.status = power_of(d_z, n, alpha, work, &r.power);
    gsl_integration_workspace_free(work);
    r.power = r.status == ST_OK ? r.power : NAN;
    return r;
}

/* Doubles n until it is enough, then halves the gap. */
static StStatus search_n(StPower *r, double target, gsl_integration_workspace *work) {
    size_t low = 1, high = 2; /* low: not enough */
    StStatus status = power_of(r->d_z, high, r->alpha, work, &r->power);
    while (status == ST_OK && r->power < target) {
        if (high == N_MAX) return ST_NOT_REACHABLE;
        low = high;
        high = high * 2 < N_MAX ? high * 2 : N_MAX;
        status = power_of(r->d_z, high, r->alpha, work, &r->power);
    }
    while (status == ST_OK && high - low > 1) {
        size_t middle = low + (high - low) / 2;
        double power;
        status = power_of(r->d_z, middle, r->alpha, work, &power);
        if (power >= target) {
            high = middle;
            r->power = power;
        } else {
            low = middle;
        }
    }
    r->n = high;
    return status;
}

StPower st_nfor(double d_z, double power, double alpha) {
    StPower r = {ST_BAD_ARG, 0, fmax(-D_MAX, fmin(d_z, D_MAX)), alpha, NAN, 0};
    if (isnan(d_z) || !valid_level(alpha) || !valid_level(power)) return r;
    gsl_integration_workspace *work = st_or_end(gsl_integration_workspace_alloc(INTERVALS));
    r.status = search_n(&r, power, work);
    gsl_integration_workspace_free(work);
    if (r.status != ST_OK) {
        r.n = 0;
        r.power = NAN;
    }
    return r;
}
