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

/* Pitman 1939, Morgan 1939: var a = var b iff a + b and a - b are uncorrelated; t with n - 2
 * degrees of freedom. Pairs, n >= 3. No spread in the sum or in the difference, or an exact
 * correlation: ST_DEGENERATE.
 *
 * p rests on normal values, and one outlying seed can make it as small as one likes. p_swap does not: it swaps the arms
 * within seeds in all 2^n ways (random ones beyond ST_FLIP_MAX), each arm about its own mean so that a difference of
 * means is no difference of spread. With estimated means it is exact only nearly: at the level .05 it rejected 3 to 7 %
 * of normal pairs of equal spread at n = 6 and 8, correlated 0 and .9, with means 0 and 2 sd apart (1,500 samples
 * each).
 * p_left_out is the largest of p_swap and the same with one seed left out (beyond ST_FLIP_MAX + 1 seeds: with that one
 * left out whose swap changes most); where it is above alpha, one seed decides. p_min: the smallest that p_left_out can
 * be, 2/2^(n-1). */
StVariance st_pitman_morgan(const double *a, const double *b, size_t n);

#endif
