/* Looks: numbers of seeds at which a plan may be decided ("looks: [10, 20]"), written down before any run. The level of
 * all looks is the plan's alpha; each may use what O'Brien and Fleming's spending gives it (stats/design.h), rounded
 * down to two digits, as a level of its own: a union bound, so intervals of that level cover at all looks together. */
#ifndef BENCH_PLAN_LOOKS_H
#define BENCH_PLAN_LOOKS_H

#include "bench/plan/experiment.h"

/* Read the list; its last number is x's number of seeds where none is said. RC_USAGE: the numbers do not rise, do
 * not end with x's number of seeds, or no p of a look's seeds can reach its level (the fewest that can are
 * named). */
Rc looks_apply(Experiment *x, const int *n, int count, Error *e);
Rc looks_check(Experiment *x, Error *e);

/* Return the level of look i, by x's alpha. */
double looks_level(const Experiment *x, int i);

/* "look 1 of 2, at 10 of 20 seeds" of the look at which x stands. */
void looks_at(const Experiment *x, Text *out);

/* "10 and 20" */
void looks_list(const Experiment *x, Text *out);

#endif
