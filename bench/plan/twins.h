/* Twins: arms of an experiment that are one network in some cells: their specs are equal there, so their runs have one
 * id, are trained once, and are not compared. */
#ifndef BENCH_PLAN_TWINS_H
#define BENCH_PLAN_TWINS_H

#include "bench/plan/experiment.h"

/* Fill first[cells * arms] with the first arm of the cell that is the same network, possibly itself. */
void twins_find(const Experiment *x, int *first);

/* like[cells * arms]: the first arm of the cell whose tape, and whose keys beside the row, are the same, by whatever
 * words; itself where none before it is. Twins are alike; others that are have runs of their own, with the same
 * losses. */
void twins_alike(const Experiment *x, int *like);

/* "Arms pre and again are one network: their runs are trained once and are not compared. ", with " where lr = 0.001"
 * behind "network" of those that are in some cells alone; nothing where there are none. Arms that are alike without
 * being twins: "Arms pre and late have one tape: they are one network in other words, and every difference between
 * them is 0. " */
void twins_text(const Experiment *x, Text *out);

#endif
