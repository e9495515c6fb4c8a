/* Verdict: what an experiment's sample says of contrasts between its arms, by the engine of bench/verdict/paired.h. A
 * diverged run counts as the uniform predictor. */
#ifndef BENCH_VERDICT_VERDICT_H
#define BENCH_VERDICT_VERDICT_H

#include "bench/verdict/paired.h"
#include "bench/verdict/sample.h"

/* The specs of the first seed's runs, one per term, as their records say them. */
void contrast_specs(const Contrast *c, const Sample *s, RunSpec spec[CONTRAST_TERMS_MAX]);

/* what[count]: the declared comparisons. All of them count, also those that could not be made. */
void family_make(Family *f, const Sample *s, const Contrast *what, int count);

/* Which arms of a cell and step are tied with the best one by the primary metric: not separated from it when all pairs
 * of arms are tested jointly. False everywhere when nothing can be separated (one seed, floor above alpha, a metric
 * without a better side, more than 2^26 flips to count) or seeds are added until it is decided. tied: [arms]. */
void verdict_tied(const Sample *s, int cell, int step, Metric metric, double alpha, bool *tied);

#endif
