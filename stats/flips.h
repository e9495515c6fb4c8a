/* Sums of a few numbers under every sign pattern, and of many under random ones.
 *
 * The low and the high half of the numbers are summed once for each of their patterns, from scratch
 * and in order, so a pattern costs one addition and no error piles up from one pattern to the next. */
#ifndef STATS_FLIPS_H
#define STATS_FLIPS_H

#include "stats/rng.h"
#include "stats/status.h"

typedef struct {
    unsigned low_bits;
    uint64_t patterns; /* 2^n */
    double *low, *high;
} StFlips;

/* x[n], 1 <= n <= 30. */
void st_flips_init(StFlips *flips, const double *x, size_t n);
void st_flips_release(StFlips *flips);

/* The sum in which x[i] is negated where bit i of pattern is set. Pattern 0 is the plain sum, and
 * the complement of a pattern gives exactly the negated sum. */
static inline double st_flips_sum(const StFlips *flips, uint64_t pattern) {
    uint64_t mask = ((uint64_t)1 << flips->low_bits) - 1;
    return flips->low[pattern & mask] + flips->high[pattern >> flips->low_bits];
}

/* Return how many patterns' sums s reach s + slack >= least, in 2^(n/2) steps. It orders the tables: st_flips_sum is of
 * no use after it. */
uint64_t st_flips_reach(StFlips *flips, double slack, double least);

/* The same of the sums' sizes |s|. */
uint64_t st_flips_reach_either(StFlips *flips, double slack, double least);

/* Random patterns, up to ST_FLIP_BATCH at a time, for any number of columns. Seed i of a pattern is negated where bit
 * i % 32 of its word i / 32 is set, so that one key gives every test the same patterns. A sum looks up the signed sums
 * of eight numbers at a time. */
#define ST_FLIP_BATCH 512

typedef struct {
    size_t n, bytes, count; /* bytes of a pattern; patterns drawn by the last call */
    gsl_rng *rng;
    unsigned char *bits; /* [count][bytes], owned */
    double *table;       /* [bytes][256], owned */
} StFlipDraws;

/* n >= 1. */
void st_flip_draws_init(StFlipDraws *draws, size_t n, StKey key);
void st_flip_draws_release(StFlipDraws *draws);

/* The next patterns of the stream: as many as are left of `most`, a batch at most. Returns how many. */
size_t st_flip_draws_next(StFlipDraws *draws, uint64_t most);

/* The sums of x[n] under these patterns; sum: [count]. */
void st_flip_draws_sums(const StFlipDraws *draws, const double *x, double *sum);

/* How many numbers pattern `at` negates. */
size_t st_flip_draws_turned(const StFlipDraws *draws, size_t at);

#endif
