/* Looks and sweep points. */
#include "stats/design.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_qrng.h>
#include <math.h>

#include "stats/tests.h"

StStatus st_looks(const size_t *n, size_t m, double alpha, StLook *looks) {
    if (m == 0 || !(alpha > 0.0 && alpha < 1.0)) return ST_BAD_ARG;
    for (size_t i = 0; i < m; i++)
        if (n[i] < (i == 0 ? 1 : n[i - 1] + 1)) return ST_BAD_ARG;
    double z = gsl_cdf_ugaussian_Qinv(alpha / 2.0), before = 0.0;
    StStatus status = ST_OK;
    for (size_t i = 0; i < m; i++) {
        StLook *k = &looks[i];
        k->n = n[i];
        k->t = (double)n[i] / (double)n[m - 1];
        k->spent = i + 1 == m ? alpha : 2.0 * gsl_cdf_ugaussian_Q(z / sqrt(k->t));
        k->alpha = k->spent - before;
        before = k->spent;
        k->p_floor = st_test_find("signflip")->floor(n[i], 1);
        k->usable = k->p_floor < k->alpha;
        status = k->usable ? status : ST_NOT_REACHABLE;
    }
    return status;
}
