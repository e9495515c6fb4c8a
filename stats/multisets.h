/* The n^n resamples of n values as a distribution that can be asked without a list of its C(2n-1, n) multisets
 * (stats/resample.h): a resample takes some of its n draws from the first half of the values and the rest from the
 * second, and either part has few sums. Sums below a number are counted by one walk over both lists of parts in
 * ascending order, up and down (the two-list idea of Horowitz and Sahni 1974); around an answer the multisets are
 * listed, and each is added up as st_multiset_sums does, so that values are the same bits. */
#ifndef STATS_MULTISETS_H
#define STATS_MULTISETS_H

#include "stats/status.h"

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
