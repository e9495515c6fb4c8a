/* Random numbers for the resampling tests: Philox4x32-10 behind GSL's generator interface.
 *
 * A stream is named, never shared: (plan, stream) fixes every number of it, so the order in which comparisons are
 * tested, or the thread that tests them, changes nothing. Key and counter are laid out as in cuRAND: key = plan,
 * counter = (block, stream), word i of the stream = output i & 3 of block i >> 2. */
#ifndef STATS_RNG_H
#define STATS_RNG_H

#include <gsl/gsl_rng.h>
#include <stdint.h>

/* plan: first 8 bytes of the plan's hash. stream: which comparison. */
typedef struct {
    uint64_t plan, stream;
} StKey;

/* A generator at the first word of the stream. Free with gsl_rng_free. */
gsl_rng *st_rng_new(StKey key);

/* An unbiased integer in [0, n), n >= 1 (Lemire 2019: multiply, reject the short residue). */
uint32_t st_rng_below(gsl_rng *rng, uint32_t n);

#endif
