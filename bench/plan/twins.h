/* Twins: arms of an experiment that are one network in some cells: their specs are equal there, so their runs have one
 * id, are trained once, and are not compared. */
#ifndef BENCH_PLAN_TWINS_H
#define BENCH_PLAN_TWINS_H

#include "bench/plan/experiment.h"

/* Fill first[cells * arms] with the first arm of the cell that is the same network, possibly itself. */
void twins_find(const Experiment *x, int *first);

/* Append "Arms pre and again are one network: their runs are trained once and are not compared. ", with " where lr =
 * 0.001" after "network" for twins in some cells only; for arms that are alike without being twins "Arms pre and late
 * have one tape: they are one network in other words, and every difference between them is 0. "; else nothing. */
void twins_text(const Experiment *x, Text *out);

#endif
