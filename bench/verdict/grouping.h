/* Grouping: an experiment's cells put together where they differ in some factors alone. */
#ifndef BENCH_VERDICT_GROUPING_H
#define BENCH_VERDICT_GROUPING_H

#include "bench/plan/experiment.h"

typedef struct {
    const Experiment *x;
    bool within[EXPERIMENT_FACTORS_MAX]; /* factors in which the cells of a group differ */
    int groups;
} Grouping;

/* Those of keys[count] are within groups, where they are factors; the others tell groups apart. */
Grouping grouping_of(const Experiment *x, const char *const *keys, int count);

int grouping_group(const Grouping *g, int cell);

/* "layers = 4" of a cell's group, or "". */
void grouping_text(const Grouping *g, int cell, char out[256]);

#endif
