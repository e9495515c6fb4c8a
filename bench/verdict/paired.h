/* Paired: the one engine of paired statistics, behind `table`, `claims`, `compare` and `verify`.
 *
 * A contrast is a weighted sum of arms, weights adding up to zero: arm minus baseline is {1, -1}. Its difference for
 * one seed is d; d < 0 means that the side with the positive weights is lower. The decision is made by the exact
 * two-sided sign-flip test, adjusted by step-down max-T over the whole family with seeds flipped jointly, so that the
 * floor stays 2/2^n. The t interval says how large the difference is, Holm's p stands beside, the bootstrap is reported
 * and decides nothing below ten seeds. With a diverged run on either side the t interval and the equivalence test are
 * withheld, the run counts as the cap, and the decision is repeated on ranks (the diverged run worse than everything).
 *
 * A caller fills a Family (what is to be computed, levels, keys of random numbers), gives comparison_make the runs of
 * each contrast, in any order and from any thread, and calls family_together once. */
#ifndef BENCH_VERDICT_PAIRED_H
#define BENCH_VERDICT_PAIRED_H

#include "bench/plan/metric.h"
#include "stats/bootstrap.h"
#include "stats/counts.h"
#include "stats/crossed.h"
#include "stats/paired.h"
#include "stats/permute.h"
#include "stats/power.h"
#include "stats/variance.h"

enum { CONTRAST_MOST_TERMS = 8 };
#define PAIRED_POWER_AIM .8 /* of plans: the chance to find a difference */

typedef struct {
    int arm;
    double weight;
    int cell, step; /* step: index into the cell's steps */
} Term;

/* What is compared. Numbers that do not come from an experiment leave cell, step and metric at 0. */
typedef struct {
    int cell, step; /* of the first term, and of the others unless the contrast is between cells */
    Metric metric;
    Term term[CONTRAST_MOST_TERMS];
    int terms;
    double margin; /* of the equivalence test, in the metric's unit; NaN: none is made */
} Contrast;

/* arm minus against. */
Contrast contrast_pair(int cell, int step, Metric metric, int arm, int against, double margin);

/* What a family computes beside the pairing. */
enum {
    PAIRED_T = 1 << 0,
    PAIRED_FLIP = 1 << 1, /* with its p's adjusted by Holm, Hochberg and Benjamini-Hochberg */
    PAIRED_WILCOXON = 1 << 2,
    PAIRED_BOOT = 1 << 3,
    PAIRED_EFFECT = 1 << 4,
    PAIRED_TOST = 1 << 5,
    PAIRED_POWER = 1 << 6, /* from PAIRED_T */
    PAIRED_DIVERGED = 1 << 7, /* tests of how often runs diverge */
    PAIRED_VARIANCE = 1 << 8, /* over seeds, paired */
    PAIRED_LEVENE = 1 << 9,   /* unpaired */
    PAIRED_CROSSED = 1 << 10, /* seeds crossed with blocks of the evaluation text */
    PAIRED_JOIN = 1 << 11,    /* neighbouring blocks are joined before that until they are nearly uncorrelated, and
                                 seeds and blocks are resampled too */
    PAIRED_RANKS = 1 << 12    /* max-T also on ranks, when some run diverged */
};

typedef enum {
    DECISION_LOWER, /* adjusted p < alpha, the mean difference is below zero */
    DECISION_HIGHER,
    DECISION_EQUIVALENT, /* not separated, and inside the margin by TOST */
    DECISION_INCONCLUSIVE,
    DECISION_NOT_TESTABLE /* the floor of p is above alpha, or the test could not be made */
} Decision;
const char *decision_name(Decision d); /* "lower", "higher", "equivalent", "inconclusive", "not testable" */

/* When status is not ST_OK, every other status is the same, but for the counts of diverged runs. */
typedef struct {
    Contrast what;
    StStatus status; /* of the pairing: ST_NONFINITE_INPUT when a diverged run has no number for this metric */
    StPairs pairs;
    int diverged_a, diverged_b, only_a, only_b; /* seeds; a side of several arms diverged when one of them did */
    StKey key;                                  /* of the sign flips */
    StTci t;
    StSignflip flip;
    StWilcoxon wilcoxon;
    StMaxTRow joint; /* NaN when status is not ST_OK */
    double holm, hochberg, bh;
    StBoot boot;
    StEffect effect;
    StTost tost;
    StInterval sd;                                 /* of d, 95 % */
    StPower power;                                 /* at the difference seen, of its sign flips alone */
    StPower seeds_needed, seeds_least, seeds_most; /* for 80 %; least, most: at the ends of the interval of the sd */
    StPower detectable;                            /* d_z that these seeds find in 80 % */
    StMcnemar mcnemar;                             /* seeds where only one side diverged */
    StFisher fisher;
    StVariance pitman_morgan, levene;
    StBlocks joined;
    StCrossed crossed; /* for new seeds and new text; ST_BAD_ARG without blocks or with a diverged run */
    StPigeonhole pigeonhole;
    const char *no_pigeonhole; /* why it was not made, or NULL */
    bool t_decides;            /* no diverged run: intervals may be shown */
    Decision decision;
    bool ranked;        /* a diverged run ranks below all others; false: its metric has no worst, or higher is better */
    double joint_ranks; /* the adjusted p on ranks; NaN without divergence, or when not ranked */
    Decision decision_ranks;
} Comparison;

/* Comparisons that are adjusted together. */
typedef struct {
    unsigned tests; /* PAIRED_… */
    double alpha;   /* of decisions and of the equivalence test */
    double conf;    /* of intervals */
    int n;          /* seeds */
    bool higher;    /* ranks: higher is better */
    bool mean_side; /* the decision on ranks takes its side from the mean difference, not from the ranks */
    size_t draws;   /* of the bootstrap; 0: all resamples, ST_BOOT_DRAWS of them beyond ST_BOOT_EXACT_MAX seeds */
    StKey joint_key, ranks_key;
    StMaxT joint;
    double floor; /* smallest p any of them can reach; 1 when there is none */
    Comparison *at;
    int count;
} Family;

/* One arm of a contrast, seed by seed. */
typedef struct {
    double weight;
    const double *value;        /* [n]; of a diverged run: what it counts as in a sum of several arms */
    const bool *diverged;       /* [n], or NULL: none did */
    const double *const *block; /* [n][blocks], or NULL */
} PairedArm;

typedef struct {
    int n;                /* seeds */
    const uint64_t *seed; /* [n] */
    PairedArm arm[CONTRAST_MOST_TERMS];
    int arms, blocks;
    double cap;    /* what a diverged run counts as where its arm is a side by itself; NaN: no such number */
    bool unranked; /* gets no p on ranks */
    StKey flip, ranks, boot, pigeonhole; /* streams of random numbers */
} PairedRuns;

/* Makes room for the comparisons; the fields above `joint` are the caller's. */
void family_begin(Family *f, int count);

/* Everything that one comparison says alone; c is one of f->at, c->what is set. */
void comparison_make(const Family *f, Comparison *c, const PairedRuns *runs);

/* Adjusted p's and decisions, once every comparison is made. All of them count, also those that could not be tested. */
void family_together(Family *f);

/* Whether power and the seeds needed are those of the sign flips that decide; of many comparisons, whose simulations
 * would take too long, they are the t test's. */
bool family_power_by_flips(const Family *f);

/* Holm's p of p[count] (NaN: not made, and still counted) into the comparisons; p is overwritten. */
void family_holm(Family *f, double *p);

/* Inside the margin by TOST, or the same difference for every seed and smaller than it. */
bool comparison_equivalent(const Comparison *c);

void family_release(Family *f);

#endif
