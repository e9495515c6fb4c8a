/* Bootstrap of the mean difference over seeds: intervals, standard error and three named p forms.
 *
 * Read tests/stats/test_stats_slow.c before trusting one: with few seeds a nominal 95 % percentile or BCa
 * interval covers far less (.84 at five seeds), and "p < .05" comes up by chance three times too
 * often. They are reported and labelled; below ST_BOOT_DECIDES seeds they decide nothing. */
#ifndef STATS_BOOTSTRAP_H
#define STATS_BOOTSTRAP_H

#include "stats/rng.h"
#include "stats/status.h"

#define ST_BOOT_EXACT_MAX 12 /* seeds up to which all n^n resamples are counted */
#define ST_BOOT_DECIDES 10   /* seeds below which a bootstrap p must not drive a verdict */
#define ST_BOOT_DRAWS 100000 /* resamples beyond ST_BOOT_EXACT_MAX */

/* Efron's three intervals and three p-values for "mean d = 0". m* is a resample's mean, m the observed one.
 *   percentile   quantiles of m*
 *   basic        2m minus them, swapped
 *   bca          quantiles at bias- and skew-corrected levels (Efron 1987), bias from the mid-p share below m; status
 *                ST_DEGENERATE: no correction exists, and its lo, hi are the percentile ones
 *   pct          2 min(#{m* <= 0}, #{m* >= 0}) / N, at most 1
 *   shift        #{|m* - m| >= |m|} / N: resampling the centred data
 *   koehn        #{m* >= 0} / N: share of resamples in which A is not better (Koehn 2004, one-sided)
 * A count of 0 prints as "< 1/total". A Monte-Carlo p is count / total too, without the + 1 of a permutation p. n = 1:
 * ST_N_TOO_SMALL, no spread: ST_DEGENERATE; `mean` is set in both. */
typedef struct {
    StStatus status;
    size_t n;
    bool exact;
    uint64_t total; /* N: n^n, or the draws */
    double conf;
    double mean, se; /* se: root mean square of m* - mean(m*) */
    StInterval percentile, basic, bca;
    double bias, accel; /* BCa's z0 and a */
    StShare pct, shift, koehn;
} StBoot;

/* All n^n resamples; n <= ST_BOOT_EXACT_MAX, else ST_BAD_ARG. */
StBoot st_boot_exact(const double *d, size_t n, double scale, double conf);

/* `draws` random resamples from the key's stream; 1 <= draws <= 10^8. */
StBoot st_boot_mc(const double *d, size_t n, double scale, double conf, size_t draws, StKey key);

/* The exact one where it can be had, else ST_BOOT_DRAWS random resamples. */
StBoot st_boot(const double *d, size_t n, double scale, double conf, StKey key);

/* The n^n resamples of n values as a distribution that can be asked without a list of its C(2n-1, n) multisets
 * (stats/resample.h): a resample takes some of its n draws from the first half of the values and the rest from the
 * second, and either part has few sums. Sums below a number are counted by one walk over both lists of parts in
 * ascending order, up and down (the two-list idea of Horowitz and Sahni 1974); around an answer the multisets are
 * listed, and each is added up as st_multiset_sums does, so that values are the same bits. */

#define ST_MULTISETS_MAX 12

/* Draws from half of the values. */
typedef struct {
    double sum;     /* added up in some order */
    uint64_t upto;  /* orders of the draws: of this multiset and of those before it in its list */
    uint32_t times; /* 4 bits for each value of the half */
} StPart;

/* Resamples with a sum, as far as rounding goes, below `sum`; and multisets. */
typedef struct {
    double sum;
    uint64_t weight, count;
} StCut;

enum { ST_CUTS_MAX = 96 };

typedef struct {
    double x[ST_MULTISETS_MAX];
    size_t n, half;                             /* half: values of the first list */
    StPart *part[2];                            /* all lists of a half, by draws */
    size_t first[2][ST_MULTISETS_MAX + 2];      /* where the list of as many draws begins */
    uint64_t total, ways[ST_MULTISETS_MAX + 1]; /* n^n; C(n, draws) */
    double slack;                               /* by which two sums of one multiset may differ */
    StCut cut[ST_CUTS_MAX];                     /* ascending: what was counted so far */
    size_t cuts;
    uint64_t steps; /* parts and multisets that were looked at */
} StMultisets;

/* x[n], 2 <= n <= ST_MULTISETS_MAX, each at most ST_HUGE. */
void st_multisets_init(StMultisets *m, const double *x, size_t n);
void st_multisets_release(StMultisets *m);

/* Of the means of the resamples: how many are < x, resp. <= x; the quantile 0 <= q <= 1, as st_weighted_quantile. */
uint64_t st_multisets_below(StMultisets *m, double x, bool or_equal);
double st_multisets_quantile(StMultisets *m, double q);

#endif
