/* Does an arm vary more over seeds than another? */
#ifndef STATS_VARIANCE_H
#define STATS_VARIANCE_H

#include "stats/status.h"

/* Equality of two variances. stat is F (Levene) or t (Pitman-Morgan); ratio is var a / var b, NaN
 * when b has no spread. df2 is NaN for t. */
typedef struct {
    StStatus status;
    double stat, df1, df2, p;
    double ratio;
} StVariance;

/* Levene with medians (Brown and Forsythe 1974): one-way F on |x - median|, arms unpaired, na, nb
 * >= 2. All |x - median| of each arm equal (as with two values against two) is ST_DEGENERATE. */
StVariance st_levene(const double *a, size_t na, const double *b, size_t nb);

/* Pitman 1939, Morgan 1939: var a = var b iff a + b and a - b are uncorrelated; t with n - 2
 * degrees of freedom. Pairs, n >= 3. No spread in the sum or in the difference, or an exact
 * correlation: ST_DEGENERATE. */
StVariance st_pitman_morgan(const double *a, const double *b, size_t n);

#endif
