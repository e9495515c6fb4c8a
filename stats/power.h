/* Power of the two-sided paired t test, through the noncentral t distribution; of the sign-flip test, by simulation.
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
    uint64_t sums; /* signed sums of n differences that a simulation took; 0 where none did */
} StPower;

/* Chance that n >= 2 seeds give p <= alpha. With delta = d_z sqrt n, v = n - 1, t the critical value and W a chi
 * variable, P = E[Phi(delta - t W / sqrt v)] + E[Phi(-delta - t W / sqrt v)]. |d_z| <= 10^6. */
StPower st_power(double d_z, size_t n, double alpha);

/* The fewest seeds (2 … 10^6) with at least `power`; ST_NOT_REACHABLE when there are none. |d_z| beyond 10^6 counts
 * as 10^6. */
StPower st_nfor(double d_z, double power, double alpha);

/* Power of what decides: step-down max-T by joint sign flips (stats/permute.h) of k comparisons with one baseline, of
 * which one has the true difference d_z and the others none; normal differences, correlated .5 as comparisons of equal
 * arms with one baseline are. 0 where n seeds cannot reach alpha (2/2^n >= alpha). The share of ST_POWER_SAMPLES
 * simulated samples (a standard error of at most .0036), fewer where they would take more than ST_POWER_SUMS signed
 * sums, 2^(n-1) of each comparison, but never below 500 (.022); the same samples for every d_z, so that it grows with
 * d_z. Beyond ST_POWER_FLIPPED seeds for k = 1, where the two tests differ by less than .02, and beyond ST_FLIP_MAX for
 * others, the t test's at alpha/k stands for it. */
#define ST_POWER_SAMPLES 20000
#define ST_POWER_SUMS 1.25e8
#define ST_POWER_FLIPPED 10
StPower st_flip_power(double d_z, size_t n, size_t k, double alpha);

/* The smallest d_z > 0, to 1 %, that n seeds detect with `power` among k comparisons; ST_NOT_REACHABLE when p cannot
 * fall below alpha. */
StPower st_flip_mde(size_t n, size_t k, double power, double alpha);

/* The fewest seeds with at least `power` for one comparison, never fewer than can reach alpha; as st_nfor. */
StPower st_flip_nfor(double d_z, double power, double alpha);

#endif
