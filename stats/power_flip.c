/* Power of the sign-flip test by simulation. */
#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdlib.h>

#include "stats/permute.h"
#include "stats/power.h"

#define K_MAX 1000u
#define D_MAX 1e6
#define WORK 5e8 /* sums of a simulation */

static bool reachable(size_t n, double alpha) {
    return ldexp(2.0, -(int)n) < alpha;
}

static size_t samples_of(size_t n, size_t k) {
    double most = WORK / (ldexp(0.5, (int)n) * (double)k);
    return most < 500.0 ? 500 : most > ST_POWER_SAMPLES ? ST_POWER_SAMPLES : (size_t)most;
}

/* k rows of n differences; row 0 has the difference d_z. */
static void draw(gsl_rng *rng, double d_z, size_t n, size_t k, double *d) {
    for (size_t i = 0; i < n; i++) {
        double common = k > 1 ? gsl_ran_gaussian_ziggurat(rng, 1.0) : 0.0;
        for (size_t j = 0; j < k; j++) {
            double own = gsl_ran_gaussian_ziggurat(rng, 1.0);
            d[j * n + i] = (k > 1 ? M_SQRT1_2 * (common + own) : own) + (j == 0 ? d_z : 0.0);
        }
    }
}

StPower st_flip_power(double d_z, size_t n, size_t k, double alpha) {
    StPower r = {ST_BAD_ARG, n, d_z, alpha, NAN};
    if (!(fabs(d_z) <= D_MAX) || !(alpha > 0.0 && alpha < 1.0) || k == 0 || k > K_MAX) {
        return r;
    }
    if (n == 0) {
        r.status = ST_N_TOO_SMALL;
        return r;
    }
    if (n > ST_FLIP_MAX || (k == 1 && n > ST_POWER_FLIPPED)) {
        return st_power(d_z, n, alpha / (double)k);
    }
    if (!reachable(n, alpha)) {
        r.status = ST_OK;
        r.power = 0.0;
        return r;
    }
    double *d = st_alloc(n * k, sizeof *d);
    StMaxTRow *row = st_alloc(k, sizeof *row);
    gsl_rng *rng = st_rng_new((StKey){0x504f574552, n * K_MAX + k});
    r.status = d != NULL && row != NULL && rng != NULL ? ST_OK : ST_NO_MEMORY;
    size_t samples = samples_of(n, k), found = 0;
    for (size_t sample = 0; sample < samples && r.status == ST_OK; sample++) {
        draw(rng, d_z, n, k, d);
        r.status = st_maxT(d, k, n, NULL, 0, (StKey){0, 0}, row).status;
        found += row[0].step < alpha;
    }
    if (r.status == ST_OK) {
        r.power = (double)found / (double)samples;
    }
    free(d);
    free(row);
    if (rng != NULL) {
        gsl_rng_free(rng);
    }
    return r;
}

StPower st_flip_mde(size_t n, size_t k, double power, double alpha) {
    StPower r = {ST_BAD_ARG, n, NAN, alpha, NAN};
    if (!(alpha > 0.0 && alpha < 1.0) || !(power > alpha && power < 1.0)) {
        return r;
    }
    if (n <= ST_FLIP_MAX && !reachable(n, alpha)) {
        r.status = n == 0 ? ST_N_TOO_SMALL : ST_NOT_REACHABLE;
        return r;
    }
    double low = 0.0, high = 1.0; /* low: not enough */
    StPower at = st_flip_power(high, n, k, alpha);
    while (at.status == ST_OK && at.power < power && high < D_MAX) {
        low = high;
        high *= 2.0;
        at = st_flip_power(high, n, k, alpha);
    }
    while (at.status == ST_OK && high - low > 0.01 * high) {
        double middle = 0.5 * (low + high);
        at = st_flip_power(middle, n, k, alpha);
        if (at.power >= power) {
            high = middle;
        } else {
            low = middle;
        }
    }
    r.status = at.status;
    if (r.status == ST_OK) {
        r.d_z = high;
        r.power = power;
    }
    return r;
}

StPower st_flip_nfor(double d_z, double power, double alpha) {
    StPower r = st_nfor(d_z, power, alpha);
    while (r.status == ST_OK && r.n <= ST_POWER_FLIPPED) {
        StPower at = st_flip_power(d_z, r.n, 1, alpha);
        r.status = at.status;
        r.power = at.power;
        if (at.power >= power) {
            return r;
        }
        r.n++;
    }
    if (r.status == ST_OK && r.n == ST_POWER_FLIPPED + 1) {
        r.power = st_power(d_z, r.n, alpha).power;
    }
    return r;
}
