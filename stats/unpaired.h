/* Two arms whose runs share no seeds: a[na] and b[nb] are independent, and either may have more runs.
 *
 * Differences are mean a - mean b. Whatever pairing would have taken out stays in them: where seeds are shared,
 * stats/paired.h and stats/permute.h find more. */
#ifndef STATS_UNPAIRED_H
#define STATS_UNPAIRED_H

#include "stats/paired.h"
#include "stats/rng.h"
#include "stats/status.h"

/* Up to as many relabellings C(na + nb, na) are all counted (11 runs against 11: 705,432); beyond it
 * st_flip_draws(na + nb) random ones. */
#define ST_RELABEL_MAX 1000000

/* Relabelling (Fisher 1935, Pitman 1937): if a and b are of one distribution, every choice of na of the na + nb values
 * is as likely to be a. Swapping a set S of a with as large a set T of b leaves the difference of the means as large or
 * larger exactly when the mean of S less that of T is at most 0; after a shift m of all of a, when it is at most m. So
 * these shifts, one for each relabelling but the observed one, give every p and the interval that belongs to it. mean:
 * the observed difference. p_min: the smallest two-sided p, 2 / total. Held until st_relabel_release. */
typedef struct {
    StStatus status;
    size_t na, nb;
    bool exact;
    double mean, p_min, tol;
    uint64_t total; /* relabellings, the observed one among them */
    double *shift;  /* [total - 1] ascending, owned */
} StRelabel;

/* Values to ST_HUGE. key is read only where relabellings are drawn. na or nb = 0: ST_N_TOO_SMALL. */
StRelabel st_relabel(const double *a, size_t na, const double *b, size_t nb, StKey key);
void st_relabel_release(StRelabel *r);

/* Whether the means differ by `shift`: the share of relabellings at least as extreme, once a is shifted by it.
 * Two-sided: twice the smaller of the one-sided p's, at most 1. NaN unless r->status is ST_OK. */
StShare st_relabel_p(const StRelabel *r, double shift, StAlt alt);

/* The shifts whose two-sided p is at least 1 - conf; it leaves out 0 exactly when the test rejects at that level. Where
 * none can be rejected: ST_NOT_REACHABLE, from -infinity to infinity. */
StInterval st_relabel_ci(const StRelabel *r, double conf);

/* Welch's t interval and test (1947): unequal variances, degrees of freedom by Satterthwaite. n is na + nb, sd NaN. An
 * arm of one run: ST_N_TOO_SMALL; no spread in either arm: ST_DEGENERATE; mean is set in both. */
StTci st_welch(const double *a, size_t na, const double *b, size_t nb, double conf);

/* Equivalence by two one-sided Welch tests; as st_tost in everything else. */
StTost st_welch_tost(const double *a, size_t na, const double *b, size_t nb, double lo, double hi, double alpha);

/* How far from the mean of a one more run of a may lie, on either side, until st_welch_tost with it no longer finds
 * equivalence; st_tost_room (stats/paired.h) of unpaired runs. NaN where the arms are not equivalent. */
double st_welch_tost_room(const double *a, size_t na, const double *b, size_t nb, double lo, double hi, double alpha);

/* Ranks from 1 on, of values that tie within tol their mean rank; infinite values tie with their like. out: [n]. */
void st_midranks(const double *x, size_t n, double tol, double *out);

#endif
