/* Paired: the one engine of paired statistics, behind `table`, `claims`, `compare` and `verify`.
 *
 * A contrast is a weighted sum of arms, weights adding up to zero: arm minus baseline is {1, -1}. Its difference for
 * one seed is d; d < 0 means that the side with the positive weights is lower. The decision is made by the exact
 * two-sided sign-flip test, adjusted by step-down max-T over the whole family with seeds flipped jointly, so that the
 * floor stays 2/2^n. Sign flips ask whether the two sides' distributions differ, not whether a mean is 0. Where a
 * margin D is given, a difference that is shown to lie within -D ... D is negligible, whether or not it was separated
 * from 0: that takes two one-sided t tests (Holm over the family) and two one-sided sign-flip tests of d shifted to the
 * margins (max-T over the family), both below alpha, and ST_EQUAL_SEEDS seeds. The t interval and the sign-flip
 * interval say how large the difference is, Holm's p stands beside, the bootstrap is reported and decides nothing below
 * ten seeds.
 *
 * All is repeated on ranks. With a diverged run on either side the intervals and the margin are withheld, the run
 * counts as the cap, and it ranks worse than everything: where that does not give the same side, the verdict would rest
 * on the cap, and nothing is decided.
 *
 * A caller fills a Family (what is to be computed, levels, keys of random numbers), gives comparison_make the runs of
 * each contrast, in any order and from any thread, and calls family_together once. */
#ifndef BENCH_VERDICT_PAIRED_H
#define BENCH_VERDICT_PAIRED_H

#include "bench/plan/grid.h"
#include "bench/plan/metric.h"
#include "stats/bootstrap.h"
#include "stats/chance.h"
#include "stats/corpus.h"
#include "stats/counts.h"
#include "stats/crossed.h"
#include "stats/invert.h"
#include "stats/paired.h"
#include "stats/permute.h"
#include "stats/power.h"
#include "stats/unpaired.h"
#include "stats/variance.h"

enum { CONTRAST_TERMS_MAX = 8 };
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
    Term term[CONTRAST_TERMS_MAX];
    int terms;
    double margin; /* of the equivalence test, in the metric's unit; NaN: none is made */
    double against;  /* what the weighted sum is compared with: it is taken off every d */
    GridMetric grid; /* of all runs that differ in lr alone; GRID_none: of the cell's run */
    bool predicts;   /* no difference: which of two metrics explains better what failed; its arms' runs alone count */
    Metric predictor[2];
    bool best;       /* every arm at the rate that the other seeds choose; its p is that of stats/choice.h */
} Contrast;

/* Which side is better, as MetricInfo's. */
int contrast_better(const Contrast *c);

/* arm minus against. */
Contrast contrast_pair(int cell, int step, Metric metric, int arm, int against, double margin);

/* What a family computes beside the pairing. */
enum {
    PAIRED_T = 1 << 0,
    PAIRED_FLIP = 1 << 1, /* with its p's adjusted by Holm, Hochberg and Benjamini-Hochberg */
    PAIRED_WILCOXON = 1 << 2,
    PAIRED_BOOT = 1 << 3,
    PAIRED_EFFECT = 1 << 4,
    PAIRED_TOST = 1 << 5, /* with its exact companion */
    PAIRED_POWER = 1 << 6, /* from PAIRED_T */
    PAIRED_DIVERGED = 1 << 7, /* tests of how often runs diverge */
    PAIRED_VARIANCE = 1 << 8, /* over seeds, paired */
    PAIRED_LEVENE = 1 << 9,   /* unpaired */
    PAIRED_CROSSED = 1 << 10, /* seeds crossed with blocks of the evaluation text */
    PAIRED_JOIN = 1 << 11,    /* neighbouring blocks are joined before that until they are nearly uncorrelated, and
                                 seeds and blocks are resampled too */
    PAIRED_RANKS = 1 << 12,   /* max-T also on ranks */
    PAIRED_INTERVAL = 1 << 13, /* by sign flips */
    PAIRED_LEAVE = 1 << 14,    /* the verdict with each seed left out */
    PAIRED_CHANCE = 1 << 15    /* probability of improvement; with a margin also the posterior */
};

typedef enum {
    DECISION_LOWER, /* adjusted p < alpha, the mean difference is below zero */
    DECISION_HIGHER,
    DECISION_LOWER_NEGLIGIBLE, /* the same, and shown to lie inside the margin */
    DECISION_HIGHER_NEGLIGIBLE,
    DECISION_EQUIVALENT, /* not separated, and inside the margin */
    DECISION_INCONCLUSIVE,
    DECISION_NOT_TESTABLE /* the floor of p is above alpha, or the test could not be made */
} Decision;
const char *decision_name(Decision d); /* "lower", "lower but negligible", "equivalent", "not testable", … */
const char *decision_code(Decision d, bool higher); /* its side as "better" or "worse"; higher: is better */
bool decision_apart(Decision d);       /* a difference from 0 was shown, negligible or not */
bool decision_lower(Decision d);       /* of these, the mean is below 0 */
bool decision_negligible(Decision d);  /* of these, inside the margin */
bool decision_made(Decision d);        /* neither inconclusive nor not testable */

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
    StMaxTRow choice; /* what joint is for arms at their best rates, adjusted over the family's comparisons of them */
    double holm, hochberg, bh;
    StBoot boot;
    StEffect effect;
    StChance chance; /* that the first side is better; a diverged run is worse than all others */
    StTost tost;
    StPosterior posterior; /* of the margin; decides nothing; ST_BAD_ARG: no margin */
    double inside_p; /* that decides: the larger of TOST's after Holm and its exact companion's after max-T; NaN: not
                        made, or too few seeds */
    bool inside;     /* the margin */
    StFlipCi alone, together; /* intervals by sign flips: of this comparison, and of all of the family jointly */
    StInterval sd;                                 /* of d, 95 % */
    StPower power;                                 /* at the difference seen, of its sign flips alone */
    StPower seeds_needed, seeds_least, seeds_most; /* for 80 %; least, most: at the ends of the interval of the sd */
    StPower detectable;                            /* d_z that these seeds find in 80 % */
    StMcnemar mcnemar;                             /* seeds where only one side diverged */
    int stalled_a, stalled_b, only_stalled_a, only_stalled_b; /* seeds; -1: not known */
    StMcnemar stall;
    StFisher fisher;
    StVariance pitman_morgan, levene;
    StBlocks joined;
    StCrossed crossed; /* for new seeds and new text; ST_BAD_ARG without blocks or with a diverged run */
    StPigeonhole pigeonhole;
    const char *no_pigeonhole; /* why it was not made, or NULL */
    StCorpus corpus;           /* of BLEU (bench/verdict/translations.h); ST_BAD_ARG: it is none */
    bool t_decides;            /* no diverged run: intervals may be shown */
    Decision decision, decision_capped; /* capped: what the means alone say; another one where ranks disagree */
    bool higher;        /* a diverged run ranks as the lowest, not the highest */
    int n_a, n_b;         /* of unpaired arms (bench/verdict/unpaired.h), as these two: */
    StSignflip rank_test; /* relabelled midranks */
    double rank_mean;     /* of the first arm less that of the other */
    double room_a, room_b, far_a, far_b; /* how far from its arm's mean one more run would undo that the arms are the
                                            same (st_welch_tost_room; NaN: they are not), and the farthest run is */
    double joint_ranks; /* the adjusted p on ranks; NaN: not made */
    Decision decision_ranks;
    int turning, turning_seed; /* seeds each of which, left out, turns the verdict; -1: not looked at; the first of them
                                  as a place in pairs.seed */
    Decision turned;           /* what it is without that seed */
} Comparison;

/* Comparisons that are adjusted together. */
typedef struct {
    unsigned tests; /* PAIRED_… */
    double alpha;   /* of decisions and of the equivalence test */
    double conf;    /* of intervals */
    bool unpaired;  /* no seeds in common: flips are relabellings, max-T is Holm */
    int n;          /* seeds; unpaired: runs of the smallest arm */
    int left_out;   /* seeds that were left out to look at the verdict without them: 0 or 1 */
    size_t draws;   /* of the bootstrap; 0: all resamples, ST_BOOT_DRAWS of them beyond ST_BOOT_EXACT_MAX seeds */
    StKey joint_key, ranks_key;
    StMaxT joint, choice; /* choice: of the comparisons at best rates */
    double floor; /* smallest p any of them can reach; 1 when there is none */
    const char *no_interval; /* why there is none by sign flips, or NULL */
    struct Anytime *anytime; /* [count]: seeds were added until it was decided (bench/verdict/anytime.h), and these p's
                                and intervals stand for all others; NULL: their number is fixed */
    Comparison *at;
    int count;
} Family;

/* One arm of a contrast, seed by seed. */
typedef struct {
    double weight;
    const double *value;        /* [n]; of a diverged run: what it counts as in a sum of several arms */
    const bool *diverged;       /* [n], or NULL: none did */
    const bool *stalled;        /* [n], or NULL: not known */
    const double *const *block; /* [n][blocks], or NULL */
    int n;                      /* of arms that share no seeds, else that of PairedRuns */
} PairedArm;

typedef struct {
    int n;                /* seeds */
    const uint64_t *seed; /* [n] */
    PairedArm arm[CONTRAST_TERMS_MAX];
    int arms, blocks;
    double against; /* see Contrast */
    double cap;    /* what a diverged run counts as where its arm is a side by itself; NaN: no such number */
    bool higher;   /* is better */
    bool one;      /* all seeds of an arm are one and the same run: nothing can be tested */
    bool same;     /* both sides are the same runs, and nothing can be tested */
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

/* The decision that an adjusted p and the margin make; mean: of the differences or ranks that p is about. */
Decision family_decide(const Family *f, const Comparison *c, double p, double mean);

/* Holm's p of p[count] (NaN: not made, and still counted) into the comparisons; p is overwritten. */
void family_holm(Family *f, double *p);

/* Shown to lie beyond a difference on the side that is worse (1), to go no further than it (-1), or neither (0), by the
 * sign-flip interval of the whole family; numbers that rounding alone sets apart are equal. With a diverged run the
 * decision alone tells. */
int comparison_beyond(const Comparison *c, double by);

/* Share of the seeds in which the first arm is better, ties counting half. */
double comparison_share_better(const Comparison *c);

/* How far off the mean one more run would undo that a difference lies inside the margin (st_tost_room; NaN: it does
 * not). *far: how far the farthest of these runs lies off. */
double comparison_room(const Family *f, const Comparison *c, double *far);

/* A number may be this large, so that a difference stays below ST_HUGE, and this small unless it is 0: then a
 * difference in the last digits stays far above ST_TINY, and is no tie. */
#define COMPARE_LARGEST 1e99
#define COMPARE_SMALLEST 1e-80

/* --fail-on: worse, or worse-by:D. RC_USAGE: neither. */
typedef struct {
    bool by;
    double more; /* by: the D */
} FailOn;
Rc fail_on_read(FailOn *f, const char *text, Error *e);

/* RC_REGRESSION: some of the comparisons is worse and not negligibly; by: is shown to be worse by more. RC_OK: some is
 * decided; by: all are shown not to be. Else RC_INCONCLUSIVE. only: which of them count, [count]; NULL: all. */
Rc comparisons_gate(const Comparison *c, int count, const bool *only, const FailOn *f);

void family_release(Family *f);

#endif
