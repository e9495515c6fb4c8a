/* Sums of a few numbers under every sign pattern.
 *
 * The low and the high half of the numbers are summed once for each of their patterns, from scratch
 * and in order, so a pattern costs one addition and no error piles up from one pattern to the next.
 */
#ifndef STATS_FLIPS_H
#define STATS_FLIPS_H

#include "stats/status.h"

typedef struct {
    unsigned low_bits;
    uint64_t patterns; /* 2^n */
    double *low, *high;
} StFlips;

/* x[n], 1 <= n <= 30. ST_NO_MEMORY or ST_OK. */
StStatus st_flips_init(StFlips *flips, const double *x, size_t n);
void st_flips_release(StFlips *flips);

/* The sum in which x[i] is negated where bit i of pattern is set. Pattern 0 is the plain sum, and
 * the complement of a pattern gives exactly the negated sum. */
static inline double st_flips_sum(const StFlips *flips, uint64_t pattern) {
    uint64_t mask = ((uint64_t)1 << flips->low_bits) - 1;
    return flips->low[pattern & mask] + flips->high[pattern >> flips->low_bits];
}

#endif
