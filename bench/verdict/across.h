/* Across: whether what is found at the first value of a factor holds at the others: sizes, corpora. For each pair of
 * arms the difference at a value minus that at the first one, seed by seed, by the engine of bench/verdict/paired.h:
 * one family of all pairs and values. */
#ifndef BENCH_VERDICT_ACROSS_H
#define BENCH_VERDICT_ACROSS_H

#include "bench/verdict/verdict.h"

typedef struct {
    int values; /* of the only factor */
    Compared pair[EXPERIMENT_COMPARES_MAX];
    int pairs;
    Family changes; /* [pairs][values - 1] */
} Across;

/* False, and nothing to release, where the experiment does not ask for it. pair[pairs]: the comparisons. */
bool across_make(Across *a, const Sample *s, Metric metric, const Compared *pair, int pairs);
void across_release(Across *a);

/* "holds at both", "differs by +0.013 at width = 96", "shown at 1 of 2 alone, and no change is shown": of the decisions
 * at each value and of the changes. at: [values]; label: what a reader calls them, "width = 48". */
void across_words(const Across *a, const Comparison *const *at, int pair, char (*label)[256], Text *out);

#endif
