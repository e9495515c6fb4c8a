/* Paired seeds: the t interval, effect sizes, the interquartile mean, equivalence.
 *
 * Arms A and B are trained from the same seeds; d_s = a_s - b_s. Lower scores are better, so d < 0 favours A. The unit
 * of replication is the training seed. All d and their intervals are in the unit of the score (nats). */
#ifndef STATS_PAIRED_H
#define STATS_PAIRED_H

#include "stats/status.h"

/* Paired t interval: mean +- t_{n-1,(1+conf)/2} sd / sqrt n, p two-sided against zero (Student
 * 1908). n = 1: ST_N_TOO_SMALL, no spread: ST_DEGENERATE; `mean` is set in both cases. */
typedef struct {
    StStatus status;
    size_t n;
    double conf;
    double mean, sd, se;
    double t, df, p;
    double lo, hi;
} StTci;

StTci st_tci(const double *d, size_t n, double scale, double conf);

/* Half of the t interval of a mean of n values of this SD: t((1 + conf) / 2, n - 1) sd / sqrt(n). NaN below two. */
double st_half_width(double sd, size_t n, double conf);

/* Interval for the standard deviation of a normal sample, from chi-square quantiles: what a power
 * analysis that starts from a pilot's sd has to print beside it. n >= 2, sd > 0. */
StInterval st_sd_ci(double sd, size_t n, double conf);

/* Effect sizes. a[n], b[n]; b NULL: a holds differences and the fields that need arms are NaN. ST_N_TOO_SMALL (n = 1)
 * and ST_DEGENERATE (no spread in d) still set mean, median, better, ratio, vr, r, least, most. */
typedef struct {
    StStatus status;
    double mean, sd, median; /* of d */
    double d_z;              /* mean / sd (Cohen 1988) */
    double j, g_z;           /* Hedges 1981: J = Gamma(v/2) / (sqrt(v/2) Gamma((v-1)/2)), v = n-1; n >= 3 */
    double better;           /* share of seeds with d < 0, ties counting half */
    double ratio;            /* exp(mean): ratio of geometric-mean perplexities; NaN when it overflows */
    double vr;               /* (var a + var b) / var d: what pairing gained; below 1 it hurt */
    double r;                /* correlation of a and b over seeds */
    double least, most;      /* d */
    double skew;             /* of d: mean cube over the 3/2 power of the mean square, about the mean; n >= 3 */
} StEffect;

StEffect st_effect(const double *a, const double *b, size_t n);

/* Interquartile mean: cut = floor(n/4) values are cut from each end. */
typedef struct {
    StStatus status;
    size_t n, cut;
    double value;
} StIqm;

StIqm st_iqm(const double *x, size_t n);

/* Equivalence by two one-sided t tests (Schuirmann 1987). lo < hi: the margin, fixed in the plan. p = max of the two;
 * equivalent iff p <= alpha, that is iff the 1 - 2 alpha interval lies inside the margin. */
typedef struct {
    StStatus status;
    size_t n;
    double mean, se, df; /* mean is also set when degenerate */
    double p_lower;      /* against mean <= lo */
    double p_upper;      /* against mean >= hi */
    double p;
    double ci_lo, ci_hi; /* level 1 - 2 alpha */
    bool equivalent;
} StTost;

/* The test from mean, se and df, and from conf: what a paired and an unpaired one share. */
void st_t_from_se(StTci *r);
void st_tost_from_se(StTost *r, double lo, double hi, double alpha);

StTost st_tost(const double *d, size_t n, double scale, double lo, double hi, double alpha);

/* How far from the mean of d one more run may lie, on either side, until st_tost with it no longer finds equivalence:
 * to be read beside the farthest of d, since a few seeds do not show a long tail. NaN where d is not equivalent. */
double st_tost_room(const double *d, size_t n, double scale, double lo, double hi, double alpha);

/* Where the mean difference lies by the Bayesian t test (Benavoli et al. 2017, without their correlation of folds:
 * seeds are independent). The differences are normal and the prior is p(mean, sd) ~ 1 / sd, flat in the mean and in
 * ln sd; then (mean - m) / se given d is Student's t with n - 1 degrees of freedom. below, inside, above: the
 * probabilities that it lies below -margin, within +-margin, above margin >= 0. n = 1: ST_N_TOO_SMALL, no spread:
 * ST_DEGENERATE. */
typedef struct {
    StStatus status;
    double below, inside, above;
} StPosterior;

StPosterior st_posterior(const double *d, size_t n, double scale, double margin);

/* ---- Matching the runs of two arms by seed; divergence kept as data. ---- */

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
