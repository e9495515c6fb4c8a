/* Grids: all runs of an arm and seed that differ in their learning rate alone. Without a factor `lr` a grid is one run.
 * What claims test of them: the numbers of bench/plan/grids.def, and an arm at the rate that the other seeds choose. */
#ifndef BENCH_VERDICT_GRID_H
#define BENCH_VERDICT_GRID_H

#include "base/text.h"
#include "bench/verdict/paired.h"
#include "bench/verdict/sample.h"

/* The cells that differ from `cell` in lr alone, in ascending order of their rate; returns how many. */
int grid_cells(const Experiment *x, int cell, int out[EXPERIMENT_VALUES_MAX]);

/* run[seeds]: what a contrast judges of a term: the runs of its cell, or each seed's at the rate chosen for it. */
void grid_judged(const Sample *s, const Contrast *w, const Term *t, const SampleRun **run);

/* rate: those of a term's grid, ascending; returns how many. chosen[seeds]: for each seed the one with the lowest mean
 * validation loss over the other seeds, those at which a run diverged or stalled last, as bench/verdict/ranking.h has
 * it. One seed: its own best. */
int grid_rates(const Sample *s, const Term *t, double *chosen, double rate[EXPERIMENT_VALUES_MAX]);

/* "post is best at 3e-4, the lowest of its 3 rates: a lower one may be better", where the rates chosen for all seeds
 * lie at ends of the grid; nothing otherwise. arm: what a reader calls it. Behind other words it stands after a
 * semicolon. */
void grid_end_text(const char *arm, const double *chosen, int seeds, const double *rate, int rates, Text *out);

/* A seed's number of a term's grid, at the cells' last steps; no stable rate: one grid step below the smallest. */
double grid_value(GridMetric metric, const Sample *s, const Term *t, int seed);

/* Sets `choice` of every comparison at best rates, and of the family: whole grids are swapped within seeds, `against`
 * being added to the second arm's, all such comparisons adjusted together by step-down max-T. */
void grid_test(Family *f, const Sample *s);

#endif
