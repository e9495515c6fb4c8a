/* Ranking: the arms of an experiment by their loss at the last step, each at its best of the rates in `lr`.
 *
 *   chosen   For a seed: the rate with the lowest mean loss over the other seeds, so that no run helps to choose the
 *            rate that it is judged at. A rate at which one of those seeds diverged or stalled comes after every
 *            rate at which none did; among such, the fewest of them first, then the mean; the same mean: the smaller
 *            rate.
 *   judged   The seed's loss at the rate chosen for it. A diverged run counts as the uniform predictor.
 *   rank     1 + how many arms have a lower mean judged loss.
 *   places   The ranks that the tests leave open: all pairs of arms are compared, flips joint, p's adjusted by
 *            step-down max-T over the pairs; the first place is 1 + how many arms are shown to be lower, the last
 *            one the number of arms - how many are shown to be higher (Mogstad, Romano, Shaikh and Wilhelm 2024).
 *            Two arms whose places overlap may still be a pair that is apart.
 *   basin    Neighbouring rates around the one of the lowest mean loss over all seeds, whose means are within
 *            SENSITIVITY_BASIN nats of it and at which no run diverged or stalled.
 *
 * Differences to the baseline are of judged losses. Tests exchange whole rows of rates between two arms, seed by
 * seed, and choose anew (stats/choice.h): judged losses share the choice, so flipping their signs would reject too
 * often. t intervals do take the chosen rates as given and are too narrow where seeds got different ones: with five
 * equal rates and eight seeds a nominal 95 % of a difference cover 81 % (tests/stats/test_stats_choice.c).
 * Groups are cells that differ in lr alone. */
#ifndef BENCH_VERDICT_RANKING_H
#define BENCH_VERDICT_RANKING_H

#include "bench/verdict/sample.h"
#include "bench/verdict/sensitivity.h"

enum { RANKING_LEAST_SEEDS = 2 };

/* An arm within a group. */
typedef struct {
    int group, arm, rank;
    StGrid grid;              /* a diverged run's loss: the uniform predictor's */
    size_t *chosen;           /* [seeds] index into rate */
    double *value;            /* [seeds] judged loss, nats */
    bool *lost;               /* [seeds] the judged run diverged */
    const SampleRun **run;    /* [seeds] what was judged */
    int judged_lost;
    StTci t;                     /* of value: its interval is of one arm, not of a difference */
    double flattered;            /* mean, had every seed chosen by its own loss */
    double mean_rank;            /* over seeds, a diverged run ranking last, ties halved */
    int first, last;             /* places; all of them when apart is false */
    int runs, diverged, stalled; /* over the whole grid; stalled: not those that diverged */
    int best, low, high;         /* of the basin, indices into rate; -1: at every rate some run was lost */
    long parameters;
    double flops;  /* of a step: matrix products and attention, as tape_flops counts */
    bool baseline; /* of its group; nothing below is set */
    StTci minus;   /* judged loss minus the baseline's; ST_BAD_ARG: a judged run of either diverged */
    double difference;
    StMaxTRow p; /* raw and adjusted over all arms and groups; NaN: not made */
} RankingRow;

typedef struct {
    StStatus status; /* ST_N_TOO_SMALL: fewer than RANKING_LEAST_SEEDS, and there are no rows */
    int groups, rates, seeds, arms, rows;
    char (*group)[256]; /* "warmup = 45", "" when lr is the only factor */
    double *rate;       /* [rates] ascending */
    RankingRow *row;    /* [groups][arms] by rank, then as the experiment lists them */
    StMaxT joint;       /* of the differences to the baseline */
    StMaxT pairs;       /* of all pairs of a group */
    double alpha;
    bool apart; /* pairs could be set apart; false: with so few seeds no p is below alpha */
} Ranking;

/* Of an experiment of RANKING_LEAST_SEEDS or more, whatever it asks for. */
void ranking_of(Ranking *y, const Sample *s);

/* False, and nothing to release, when the experiment asks for none. */
bool ranking_make(Ranking *y, const Sample *s);
void ranking_release(Ranking *y);

/* Whether any run of the arm, at any rate, neither diverged nor stalled. */
bool ranking_trains(const RankingRow *row);

/* A row's judged losses minus another's: the mean, and its t interval; ST_BAD_ARG: a judged run of either diverged. */
double ranking_minus(const Ranking *y, const RankingRow *row, const RankingRow *from, StTci *minus);

#endif
