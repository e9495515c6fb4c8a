/* Power of the two-sided paired t test, through the noncentral t distribution.
 *
 * d_z: true mean difference in units of its standard deviation over seeds. An s_d that came from a
 * pilot is itself uncertain: print st_sd_ci (stats/paired.h) beside anything planned from it. */
#ifndef STATS_POWER_H
#define STATS_POWER_H

#include "stats/status.h"

typedef struct {
    StStatus status;
    size_t n;
    double d_z, alpha, power;
} StPower;

/* Chance that n >= 2 seeds give p <= alpha. With delta = d_z sqrt n, v = n - 1, t the critical
 * value and W a chi variable, P = E[Phi(delta - t W / sqrt v)] + E[Phi(-delta - t W / sqrt v)].
 * |d_z| <= 10^6. */
StPower st_power(double d_z, size_t n, double alpha);

/* The fewest seeds (2 … 10^6) with at least `power`; ST_NOT_REACHABLE when there are none. */
StPower st_nfor(double d_z, double power, double alpha);

/* The smallest d_z > 0 that n seeds detect with `power` (alpha < power < 1). */
StPower st_mde(size_t n, double power, double alpha);

#endif
