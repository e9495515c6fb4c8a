/* Probability of improvement: how often a run of A is better than one of B, ties counting half.
 *
 * How large the difference is does not matter, so neither an outlier nor a cap for diverged runs changes it; .5 means
 * neither is better more often. Intervals, no verdict: the tests of stats/permute.h decide. */
#ifndef STATS_CHANCE_H
#define STATS_CHANCE_H

#include "stats/rng.h"
#include "stats/status.h"

/* share = (wins + ties / 2) / total. Paired, total is the number of seeds and lo, hi are exact; unpaired, it is the
 * number of pairs and lo, hi come from `resamples` resamples (all of them: exact). p: of share = .5, paired alone. */
typedef struct {
    StStatus status;
    uint64_t wins, ties, total;
    double conf, share, lo, hi, p;
    bool exact;
    uint64_t resamples;
} StChance;

/* Of seeds in which A is better, as good, worse. Clopper-Pearson, with ties as wins for the upper limit and as losses
 * for the lower one: it then covers P(win) + P(tie) / 2 with at least conf. p: the sign test, ties left out (exact
 * binomial). Without ties the interval leaves out .5 exactly when p < 1 - conf. No seeds: ST_N_TOO_SMALL. */
StChance st_chance_paired(uint64_t wins, uint64_t ties, uint64_t losses, double conf);

/* The largest na * nb * draws that st_chance_unpaired takes. */
#define ST_CHANCE_WORK 1e9

/* Mann and Whitney's U / (na nb) (1947) for P(a < b) + P(a = b) / 2 over all pairs, with the percentile interval of the
 * bootstrap that resamples the runs of either arm by themselves (stratified: Agarwal et al. 2021, rliable). All
 * resamples where that can be done, else `draws`. Every a below every b, or none: ST_DEGENERATE, share is set and there
 * is no interval. na or nb = 1: ST_N_TOO_SMALL, share is set. Beyond ST_CHANCE_WORK: ST_BAD_ARG. */
StChance st_chance_unpaired(const double *a, size_t na, const double *b, size_t nb, double conf, size_t draws,
                            StKey key);

#endif
