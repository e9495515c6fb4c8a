/* Does an arm vary more over seeds than another? */
#ifndef STATS_VARIANCE_H
#define STATS_VARIANCE_H

#include "stats/status.h"

/* Equality of two variances. stat is F (Levene) or t (Pitman-Morgan); ratio is var a / var b, NaN
 * when b has no spread. df2 is NaN for t. p_swap, p_left_out, p_min: of Pitman-Morgan only, NaN for Levene. */
typedef struct {
    StStatus status;
    double stat, df1, df2, p;
    double ratio;
    double p_swap, p_left_out, p_min;
} StVariance;

/* Levene with medians (Brown and Forsythe 1974): one-way F on |x - median|, arms unpaired, na, nb
 * >= 2. All |x - median| of each arm equal (as with two values against two) is ST_DEGENERATE. */
StVariance st_levene(const double *a, size_t na, const double *b, size_t nb);

/* Pitman 1939, Morgan 1939: var a = var b iff a + b and a - b are uncorrelated; t with n - 2 degrees of freedom. Pairs,
 * n >= 3. No spread in the sum or in the difference, or an exact correlation: ST_DEGENERATE.
 *
 * p rests on normal values, and one outlying seed can make it as small as one likes. p_swap does not: it swaps the arms
 * within seeds in all 2^n ways (random ones beyond ST_FLIP_MAX) and makes log(var a / var b), means included, anew for
 * each. It is the larger p of two: swaps of the values are exact where the arms differ in nothing, also with a few
 * outlying runs in both; swaps of the values about their arm's mean keep a difference of means from being taken for one
 * of spread. Values that rounding may have moved by 64 DBL_EPSILON of the largest tie. p_left_out is the largest of
 * p_swap and the same with one seed left out (beyond ST_FLIP_MAX + 1 seeds: with that one left out whose swap changes
 * most); where it is above alpha, one seed decides. p_min: the smallest that p_left_out can be, 2/2^(n-1). Levels and
 * power are simulated in tests/stats/test_stats_slow_variance.c. */
StVariance st_pitman_morgan(const double *a, const double *b, size_t n);

/* Standard deviation of n values with divisor n - 1, and its interval when they are normal: the chi-square one,
 * sd sqrt(df / q) with q the quantiles of chi-square with df = n - 1. Values that are all the same have the interval
 * [0, 0]. n = 1 is ST_N_TOO_SMALL. */
typedef struct {
    StStatus status;
    double sd, df, lo, hi;
} StSd;

StSd st_sd(const double *x, size_t n, double conf);

/* Of a sum of independent parts: the root of the sum of their variances, with Satterthwaite's (1946) degrees of
 * freedom, (sum v)^2 / sum(v^2 / df). A part that is not ST_OK is the sum's status. */
StSd st_sd_of_sum(const StSd *part, size_t parts, double conf);

#endif
