/* Counts: how often runs diverge or spike, and whether two arms differ in it. */
#ifndef STATS_COUNTS_H
#define STATS_COUNTS_H

#include "stats/status.h"

/* Clopper-Pearson interval for k of n (Clopper and Pearson 1934), from beta quantiles. n = 0: ST_N_TOO_SMALL. */
typedef struct {
    StStatus status;
    uint64_t k, n;
    double lo, hi;
} StCp;

StCp st_cp(uint64_t k, uint64_t n, double conf);

/* The rank r, 1-based, so that the r-th smallest and the r-th largest of n independent numbers hold the median of their
 * distribution with at least this confidence (binomial; Conover 1999, section 3.2); 0: n numbers cannot. */
unsigned st_median_rank(unsigned n, double conf);

/* Exact McNemar: b seeds where only A diverged, c where only B did; two-sided binomial(b + c, 1/2).
 * p_min: the smallest p that b + c discordant seeds can give; without any, p = p_min = 1. */
typedef struct {
    StStatus status;
    uint64_t b, c;
    double p, p_min;
} StMcnemar;

StMcnemar st_mcnemar(uint64_t b, uint64_t c);

/* Fisher's exact two-sided test of the table [a b; c d] for unpaired arms: the sum of the probabilities of all tables
 * with these margins that are at most as likely as the observed one (relative slack 1e-7, because the probabilities
 * come from log-gammas). odds: (a d) / (b c), NaN when a cell of the divisor is 0. An empty table is ST_N_TOO_SMALL; a
 * cell above 10^8 is ST_BAD_ARG. p_min: that of the rarest such table. */
typedef struct {
    StStatus status;
    double p, p_min, odds;
} StFisher;

StFisher st_fisher(uint64_t a, uint64_t b, uint64_t c, uint64_t d);

#endif
