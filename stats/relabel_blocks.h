/* Relabelling of k arms within each of n blocks: inside of the omnibus and of Friedman's test. */
#ifndef STATS_RELABEL_BLOCKS_H
#define STATS_RELABEL_BLOCKS_H

#include "stats/rng.h"
#include "stats/status.h"

/* What is done with each relabelling: sum[k], the arms' sums over blocks, every block's mean taken out of it. */
typedef void StBlockSums(void *context, const double *sum);

typedef struct {
    StStatus status;
    bool exact;     /* all (k!)^(n-1) relabellings up to 10^6 (the first block's labels stand for the common one), else
                       10^5 random ones and the labels as they are */
    uint64_t total; /* how often `seen` was called */
} StRelabelBlocks;

/* x: [k][n], arm by block. seen(context, sum) for the labels as they are among the others; before any, first(context,
 * sum) for them alone (NULL: nothing). k < 2 or n < 2 is ST_N_TOO_SMALL. key is read only where labels are drawn. */
StRelabelBlocks st_relabel_blocks(const double *x, size_t k, size_t n, StKey key, StBlockSums *first, StBlockSums *seen,
                                  void *context);

#endif
