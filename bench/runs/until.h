/* run --until-decided: how many seeds an experiment still wants, by its stored records alone (bench/verdict/until.h):
 * so every process that trains it says the same. */
#ifndef BENCH_RUNS_UNTIL_H
#define BENCH_RUNS_UNTIL_H

#include "bench/verdict/until.h"

typedef struct {
    const Session *s;
    const Experiment *x;
    int whole; /* of the last answer */
} UntilAsks;

/* RunnerOptions.seeds with an UntilAsks: a line on where every primary comparison stands. */
int until_wanted(void *asks, int whole, Text *words, Error *e);

#endif
