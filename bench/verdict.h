/* Verdict: what paired seeds say about contrasts between arms.
 *
 * A contrast is a weighted sum of arms, weights adding up to zero: arm minus baseline is {1, -1}. Its difference for
 * one seed is d; d < 0 means that the side with the positive weights is lower. The decision is made by the exact
 * two-sided sign-flip test, adjusted by step-down max-T over the whole family with seeds flipped jointly, so that the
 * floor stays 2/2^n. The t interval says how large the difference is, Holm's p stands beside, the bootstrap is reported
 * and decides nothing below ten seeds. With a diverged run on either side the t interval and the equivalence test are
 * withheld, the run counts as the uniform predictor, and the decision is repeated on ranks (the diverged run worse than
 * everything). */
#ifndef BENCH_VERDICT_H
#define BENCH_VERDICT_H

#include "bench/sample.h"
#include "stats/bootstrap.h"
#include "stats/crossed.h"
#include "stats/paired.h"
#include "stats/permute.h"
#include "stats/variance.h"

enum { CONTRAST_MOST_TERMS = 8 };

typedef struct {
    int arm;
    double weight;
    int cell, step; /* step: index into the cell's steps */
} Term;

typedef struct {
    int cell, step; /* of the first term, and of the others unless the contrast is between cells */
    Metric metric;
    Term term[CONTRAST_MOST_TERMS];
    int terms;
    double margin; /* of the equivalence test, in the metric's unit */
} Contrast;

/* arm minus against. */
Contrast contrast_pair(int cell, int step, Metric metric, int arm, int against, double margin);

/* The specs of the first seed's runs, one per term. */
void contrast_specs(const Contrast *c, const Experiment *x, RunSpec spec[CONTRAST_MOST_TERMS]);

typedef enum {
    DECISION_LOWER, /* adjusted p < alpha, the mean difference is below zero */
    DECISION_HIGHER,
    DECISION_EQUIVALENT, /* not separated, and inside the margin by TOST */
    DECISION_INCONCLUSIVE,
    DECISION_NOT_TESTABLE /* the floor of p is above alpha, or the test could not be made */
} Decision;
const char *decision_name(Decision d); /* "lower", "higher", "equivalent", "inconclusive", "not testable" */

typedef struct {
    Contrast what;
    StStatus status; /* of the pairing: ST_NONFINITE_INPUT when a diverged run has no number for this metric */
    StPairs pairs;
    int diverged_a, diverged_b, only_a, only_b;
    StTci t;
    StSignflip flip;
    StMaxTRow joint; /* NaN when status is not ST_OK */
    double holm;
    StBoot boot;
    StEffect effect;
    StTost tost;
    StMcnemar discordant; /* seeds where only one side diverged */
    StVariance variance;  /* Pitman-Morgan */
    StCrossed crossed;    /* losses: seeds crossed with batches of validation windows, for new seeds and new text */
    bool t_decides;       /* no diverged run: intervals may be shown */
    Decision decision;
    double joint_ranks; /* the adjusted p on ranks; NaN without divergence, or when higher is better */
    Decision decision_ranks;
} Comparison;

/* Comparisons that are adjusted together. */
typedef struct {
    double alpha;
    int n;
    StMaxT joint;
    double floor; /* smallest p any of them can reach */
    Comparison *at;
    int count;
} Family;

/* what[count]: the declared comparisons. All of them count, also those that could not be made. */
void family_make(Family *f, const Sample *s, const Contrast *what, int count);
void family_release(Family *f);

/* Which arms of a cell and step are tied with the best one by the primary metric: not separated from it when all pairs
 * of arms are tested jointly. False everywhere when nothing can be separated (one seed, floor above alpha, a metric
 * without a better side, more than 2^26 flips to count). tied: [arms]. */
void verdict_tied(const Sample *s, int cell, int step, Metric metric, double alpha, bool *tied);

#endif
