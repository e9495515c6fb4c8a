/* Best: what is found of two arms when each is at its best of the rates in `lr`, chosen for a seed by the other seeds
 * (bench/verdict/ranking.h): the pairs that the experiment compares, in every group of cells that differ in lr alone.
 *
 * difference  mean over seeds of the judged losses' difference, nats; minus: with a paired t interval, which takes the
 *             chosen rates as given
 * p           of swapping the two arms' losses at all rates within a seed and choosing anew (stats/choice.h), adjusted
 *             by step-down max-T over all pairs and groups: it decides
 *
 * So the interval may exclude 0 where p does not decide, and the other way. */
#ifndef BENCH_VERDICT_BEST_H
#define BENCH_VERDICT_BEST_H

#include "bench/verdict/paired.h"
#include "bench/verdict/ranking.h"

typedef struct {
    int group;
    const RankingRow *arm, *against; /* of Best.ranking */
    double difference;
    StTci minus; /* ST_BAD_ARG: a judged run of either diverged */
    StMaxTRow p; /* NaN: not made */
    Decision decision;
} BestPair;

typedef struct {
    Ranking ranking;
    BestPair *pair; /* by group, then as the experiment lists them */
    int pairs;
    StMaxT joint; /* of all pairs */
} Best;

/* False, and nothing to release, where the experiment does not ask for it or has one seed. */
bool best_make(Best *b, const Sample *s);
void best_release(Best *b);

/* Whether an arm trains and every seed's rate of it is an end of the grid: a rate outside of it may be better. */
bool best_at_end(const Best *b, const RankingRow *row);

/* "better than Pre-LN", "not decided": against is what a reader calls the other arm. */
void best_words(const Best *b, const BestPair *p, const char *against, Text *out);

#endif
