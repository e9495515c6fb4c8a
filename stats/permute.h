/* Exact tests by relabelling: sign flips, Wilcoxon, joint max-T over comparisons, the omnibus.
 *
 * If arm A and arm B do not differ, the sign of every d_s is a fair coin. All 2^n sign patterns are counted up to n =
 * ST_FLIP_MAX, so p is a share count / total; beyond it `draws` random patterns give (hits + 1)/(draws + 1). p_min is
 * the smallest p that n seeds can give, and belongs beside every p printed: 2/2^n two-sided. */
#ifndef STATS_PERMUTE_H
#define STATS_PERMUTE_H

#include "stats/rng.h"
#include "stats/status.h"

#define ST_FLIP_MAX 20
#define ST_FLIP_DRAWS 100000 /* random patterns beyond ST_FLIP_MAX, but see st_flip_draws */
#define ST_FLIP_REFINE 16    /* times as many where p is close to alpha, as long as they cost at most ST_FLIP_WORK */
#define ST_FLIP_WORK 2e9     /* additions */

/* How many are drawn for n seeds: ST_FLIP_DRAWS up to 400 seeds, then fewer, so that none takes longer (1,000 seeds:
 * 40,000), and at least 2,000. */
static inline uint64_t st_flip_draws(size_t n) {
    return n <= 400 ? ST_FLIP_DRAWS : n >= 20000 ? 2000 : (uint64_t)(4e7 / (double)n);
}

/* Sign-flip test of the mean (Fisher 1935). p_min_here: the floor given that `zeros` differences are zero and cannot
 * flip. p_lo, p_hi: 95 % Clopper-Pearson interval for p when it was estimated, else both equal p. */
typedef struct {
    StStatus status;
    size_t n, zeros;
    bool exact;
    double p;
    uint64_t count, total;
    double p_min, p_min_here;
    double p_lo, p_hi;
} StSignflip;

/* key is read only when n > ST_FLIP_MAX. n = 0: ST_N_TOO_SMALL. */
StSignflip st_signflip(const double *d, size_t n, double scale, StAlt alt, StKey key);

/* Below as many seeds nothing should be called the same: 8 alike still leave 31 % of runs unlike them (st_unseen). */
#define ST_EQUAL_SEEDS 8

/* The largest chance per run of an event that n runs without one leave open at the level alpha, 1 - alpha^(1/n): what
 * "the same in all n seeds" cannot exclude. n = 8, alpha = .05: .312. */
double st_unseen(size_t n, double alpha);

/* Wilcoxon signed ranks (1945), two-sided: zeros dropped and reported, midranks for ties, all 2^m patterns of the m
 * that are left (m > ST_FLIP_MAX: random ones). w: sum of the ranks of positive d. m = 0: p = 1. */
typedef struct {
    StStatus status;
    size_t m, zeros;
    bool exact;
    double w;
    double p;
    uint64_t count, total;
    double p_min; /* from m */
} StWilcoxon;

StWilcoxon st_wilcoxon(const double *d, size_t n, double scale, StKey key);

/* One comparison of st_maxT: shares of `total` of the struct below. raw: two-sided sign-flip p of this
 * comparison alone, from the same flips, so that raw <= step <= single always holds. lo, hi: 99.9 %
 * Clopper-Pearson interval for step when flips were drawn, else both equal it. */
typedef struct {
    double raw, single, step;
    uint64_t raw_count, single_count, step_count;
    double lo, hi;
} StMaxTRow;

typedef struct {
    StStatus status;
    size_t k, n;
    bool exact;
    uint64_t total;
    double p_min; /* of every comparison, whatever k */
} StMaxT;

/* Westfall and Young 1993: k comparisons on the same n seeds, whole seeds flipped together, so that
 * the floor stays 2/2^n for any k. d: [k][n]. scale: [k] (see st_scale), or NULL. Statistic t^2: it
 * grows with (sum d)^2 / sum d^2, which flips leave a fixed divisor and which stays finite for a
 * column without spread (1 when it is not zero, as t^2 = infinity demands; 0 when it is all zero).
 * Beyond ST_FLIP_MAX seeds ST_FLIP_DRAWS flips are drawn, and more, up to ST_FLIP_REFINE times as many, while the
 * interval of some comparison's step-down p holds alpha (0: never more). rows: [k]. */
StMaxT st_maxT(const double *d, size_t k, size_t n, const double *scale, double alpha, StKey key, StMaxTRow *rows);

/* Equivalence without normality of k comparisons on the same seeds together, the exact companion of st_tost
 * (stats/paired.h): the 2k one-sided sign-flip tests, each of d shifted to one of its margins -margin[j] and
 * margin[j] > 0, adjusted by step-down max-T with whole seeds flipped together, so that the floor stays 1/2^n. p: [k],
 * the larger of a comparison's two. */
StStatus st_maxT_tost(const double *d, size_t k, size_t n, const double *scale, const double *margin, double alpha,
                      StKey key, double *p);

/* Omnibus: do k variants differ at all? x: [k][n], variant by seed. All relabellings of the
 * variants within seeds
 * ((k!)^(n-1): one seed's labels stand for the common one) up to 10^6, else 10^5 random ones.
 * Statistic: sum of squares between variants, each seed centred first. k = 1, or n < 2, is
 * ST_N_TOO_SMALL. */
typedef struct {
    StStatus status;
    bool exact;
    double p;
    uint64_t count, total;
    double p_min;
} StOmnibus;

StOmnibus st_omnibus(const double *x, size_t k, size_t n, StKey key);

#endif
