/* Seeds crossed with blocks of validation text.
 *
 * Every seed is scored on the same blocks, so d[s][b] varies with the seed, with the block, and
 * with both. Treating all S * B numbers as replicates understates the error of the mean; the seed
 * is what is replicated. d: [S][B], blocks in text order, each of the same number of tokens. */
#ifndef STATS_CROSSED_H
#define STATS_CROSSED_H

#include "stats/paired.h"
#include "stats/rng.h"
#include "stats/status.h"

/* Mean with an interval for new seeds and new text. Two-way random effects without replication: var(mean) = (MS_s +
 * MS_b - MS_e) / (S B), degrees of freedom by Satterthwaite 1946. When that is below max(MS_s, MS_b) / (S B) the larger
 * is taken instead, with its own degrees of freedom, and `floored` is set. lag1: autocorrelation of neighbouring block
 * means; above .1 the blocks are too short (st_blocks_merge). seeds: the t interval over seed means, for new seeds on
 * this text. S = 1 or B = 1: ST_N_TOO_SMALL. No spread: ST_DEGENERATE. mean, and seeds where it can be had, are set in
 * all of these. */
typedef struct {
    StStatus status;
    size_t seeds_n, blocks_n;
    double conf, mean;
    double ms_seed, ms_block, ms_error;
    double se, df;
    bool floored;
    double lo, hi, t, p;
    double lag1;
    StTci seeds;
} StCrossed;

StCrossed st_crossed(const double *d, size_t seeds, size_t blocks, double scale, double conf);

/* Pigeonhole bootstrap (Owen 2007): seeds and blocks resampled independently, percentile interval of the mean. Exact
 * while the pairs of multisets number at most 10^6, else `draws` random ones (1 … 10^8; each costs S * B). */
typedef struct {
    StStatus status;
    bool exact;
    uint64_t total; /* S^S * B^B, or the draws */
    double mean, se;
    double lo, hi;
} StPigeonhole;

StPigeonhole st_pigeonhole(const double *d, size_t seeds, size_t blocks, double scale, double conf, size_t draws,
                           StKey key);

/* Joins neighbouring blocks by twos until lag1 < limit. out: room for [S][B], filled as
 * [S][blocks]; blocks left over at the end of the text are dropped. ST_NO_CONVERGENCE: fewer than 8
 * blocks would remain; the result is then the longest tried. */
typedef struct {
    StStatus status;
    size_t factor, blocks, dropped;
    double lag1;
} StBlocks;

StBlocks st_blocks_merge(const double *d, size_t seeds, size_t blocks, double limit, double *out);

#endif
