/* Average ranks over blocks (Friedman 1937; Demsar 2006), all p's by relabelling arms within blocks. */
#ifndef STATS_FRIEDMAN_H
#define STATS_FRIEDMAN_H

#include "stats/rng.h"
#include "stats/status.h"

/* Arms are ranked within each block, the smallest first, ties sharing their ranks.
 *   chi2      12 n / (k (k + 1)) (sum of squared mean ranks - k (k + 1)^2 / 4), as Demsar writes it: not corrected for
 *             ties
 *   p         share of relabellings whose chi2 is at least as large: Friedman's test in its permutation form
 *   critical  mean ranks that differ by at least as much are apart at the level: the smallest difference that the
 *             range of all mean ranks reaches in less than alpha of the relabellings. It takes the place of Nemenyi's
 *             critical difference, whose quantile is that of many blocks; NaN: no difference is so rare
 * The range is the largest of all pairs' differences, so that the p's of pairs below are adjusted for their number
 * (single-step max-T). They hold all arms alike, as Nemenyi's do: which pairs are apart depends on which arms are
 * compared. */
typedef struct {
    StStatus status;
    size_t k, n;
    bool exact;
    double chi2, p, p_min, critical;
    uint64_t count, total;
} StFriedman;

/* x: [k][n], arm by block; infinity ranks last. mean_rank: [k]. pair: [k][k] adjusted p's, 1 on the diagonal, or NULL.
 * k < 2 or n < 2 is ST_N_TOO_SMALL, a NaN ST_NONFINITE_INPUT; mean ranks are given for n = 1 too. */
StFriedman st_friedman(const double *x, size_t k, size_t n, double alpha, StKey key, double *mean_rank, double *pair);

#endif
