/* What the bootstraps share: multisets with their weights, and quantiles of weighted values.
 *
 * The n^n resamples of n values fall into C(2n-1, n) multisets; multiset (c_1 … c_n) stands for n!/(c_1! … c_n!) of
 * them. Whole-number weights make every share exact (n^n fits in 64 bits up to n = 15). */
#ifndef STATS_RESAMPLE_H
#define STATS_RESAMPLE_H

#include "stats/status.h"

/* A value and how many resamples have it; after st_weighted_sort, how many have this one or an earlier. */
typedef struct {
    double value;
    uint64_t weight;
} StWeighted;

/* C(n, k) below 2^59; C(2n-1, n) for 1 <= n <= 15; n^n. */
uint64_t st_binomial(size_t n, size_t k);
uint64_t st_multiset_count(size_t n);
uint64_t st_power_self(size_t n);

/* Sum of the resample for each multiset of x[n], always added up in the order of x, written to out. */
void st_multiset_sums(const double *x, size_t n, StWeighted *out);

/* Sorts ascending and turns weights into running totals. */
void st_weighted_sort(StWeighted *list, size_t count);

/* Value at place `at`, counted from 0, of the expanded list, sorted as above. */
double st_weighted_at(const StWeighted *list, size_t count, uint64_t at);

/* Quantile 0 <= q <= 1 of the expanded list (Hyndman and Fan's type 7), of a list sorted as above. */
double st_weighted_quantile(const StWeighted *list, size_t count, double q);

/* Sorts the list; the quantiles that leave (1 - conf) / 2 on either side. */
StInterval st_weighted_interval(StWeighted *list, size_t count, double conf);

/* How many expanded values are < x, resp. <= x, in a list sorted as above. */
uint64_t st_weighted_below(const StWeighted *list, size_t count, double x, bool or_equal);

#endif
