/* A test of paired differences that stays valid whenever one stops: seeds are added until it decides.
 *
 * The null is that of the sign flips: given |d_i| and what came before, the sign of d_i is a fair coin. With
 *
 *   E_n(s, lambda) = prod over i <= n of exp(s lambda z_i) / cosh(lambda z_i),   z_i = d_i / r_i,
 *   r_i^2 = mean of d_1^2 ... d_i^2,   s = +1 or -1,
 *
 * every factor has the mean 1, so the average e of E_n over s and lambda in {1/2, 1, 2, 4} is a test martingale, and
 * the chance that it ever reaches 1/alpha is at most alpha (Ville 1939; Ramdas et al. 2023, Game-theoretic statistics
 * and safe anytime-valid inference). p = 1 / (largest e so far), at most 1, may be read after every seed. A factor is
 * at most 2: two-sided at .05 nothing is decided before 6 seeds. The order of the seeds is fixed beforehand and is
 * part of the result. Means that vanish with skewed differences are not the null.
 *
 * d: [n] in the order of the seeds. scale: see st_scale; differences within st_tol(scale) are 0. */
#ifndef STATS_ANYTIME_H
#define STATS_ANYTIME_H

#include "stats/permute.h"

/* p after every seed, two-sided; p: [n]. n = 0: ST_N_TOO_SMALL. */
StStatus st_anytime_path(const double *d, size_t n, double scale, double *p);

/* Within +-margin: one-sided processes of d + margin (greater) and of d - margin (less). p is the larger one's. */
StStatus st_anytime_inside_path(const double *d, size_t n, double scale, double margin, double *p);

/* The shifts m for which the process of d - m has not reached 1 / (1 - conf) after any seed: where the intervals of all
 * numbers of seeds so far overlap, each searched outwards from its mean. Covers at every stop. Fewer seeds than can
 * reject anything: from -infinity to infinity, ST_NOT_REACHABLE. Intervals that do not overlap: ST_NO_CONVERGENCE. */
StInterval st_anytime_ci(const double *d, size_t n, double scale, double conf);

/* How many seeds in all the decision probably takes, if new differences are like those seen: `runs` continuations drawn
 * from d, up to `most` seeds. median, late: the numbers at which half and nine in ten have decided, most + 1 where they
 * have not. margin: > 0, deciding is also to lie within it. n < 2: ST_N_TOO_SMALL. */
typedef struct {
    StStatus status;
    size_t median, late;
    double decided; /* share of continuations */
} StAnytimeNeed;

StAnytimeNeed st_anytime_need(const double *d, size_t n, double scale, double margin, double alpha, size_t most,
                              size_t runs, StKey key);

#endif
