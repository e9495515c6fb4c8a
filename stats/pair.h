/* Matching the runs of two arms by seed; divergence kept as data.
 *
 * Arms A and B are trained from the same seeds; d_s = a_s - b_s. Lower scores are better, so d < 0 favours A. */
#ifndef STATS_PAIR_H
#define STATS_PAIR_H

#include "stats/status.h"

/* How a run ended. A diverged run is complete and counts; a failed one (killed, out of memory,
 * disk) does not and must be run again before anything is tested. */
typedef enum { ST_RUN_OK, ST_RUN_DIVERGED, ST_RUN_FAILED } StRunState;

typedef struct {
    uint64_t seed;
    double value; /* final score; not read when diverged */
    StRunState state;
} StRun;

/* Why st_pair refused; `seed` of StPairs names the culprit. */
typedef enum {
    ST_PAIR_FINE,
    ST_PAIR_UNMATCHED, /* a seed that only one arm has */
    ST_PAIR_DUPLICATE, /* a seed twice in one arm */
    ST_PAIR_FAILED,    /* a run to be repeated */
    ST_PAIR_NO_CAP,    /* a diverged run and no finite cap */
    ST_PAIR_NONFINITE, /* a finished run whose value is not finite */
} StPairFault;

/* Pairs in ascending order of seed. One block of memory, owned through `seed`. */
typedef struct {
    StStatus status;
    StPairFault fault;
    uint64_t fault_seed;
    size_t n;
    uint64_t *seed;        /* [n] */
    double *a, *b, *d;     /* [n] each; a diverged run's score is the cap */
    unsigned char *lost;   /* [n] bit 0: A diverged, bit 1: B diverged */
    double scale;          /* largest |a|, |b| */
    size_t lost_a, lost_b; /* diverged runs per arm */
    size_t only_a, only_b; /* seeds where just that arm diverged: McNemar's discordant counts */
} StPairs;

/* Matches by seed, never drops a run. cap: the score of a diverged run (ln V, the uniform predictor); NaN when there is
 * none. An unmatched or doubled seed, a failed run or a missing cap is ST_BAD_ARG with its fault; empty arms are
 * ST_N_TOO_SMALL. The result must be released whatever its status. */
StPairs st_pair(const StRun *a, size_t na, const StRun *b, size_t nb, double cap);
void st_pairs_release(StPairs *pairs);

/* Signed midranks of |d| when the cap goes to infinity: pairs with one diverged arm outrank all others, pairs with two
 * are zero. rank[n]; feed to st_signflip with scale 0 for the sensitivity verdict. */
StStatus st_pairs_ranks(const StPairs *pairs, double *rank);

#endif
