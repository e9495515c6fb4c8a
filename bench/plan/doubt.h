/* Doubts: what a plan most likely does not mean, though every key of it is valid. Nothing is refused. */
#ifndef BENCH_PLAN_DOUBT_H
#define BENCH_PLAN_DOUBT_H

#include "bench/plan/experiment.h"

/* Appends a line per doubt, each with the arms and cells that it is about: a rate of 0, a rate that rises at the end, a
 * warm-up that ends with the run, keys that change nothing, a metric that no run has or that cannot vary, seeds that
 * are one run, a ranking over one rate, a decay that turns weights round, arms on different texts, a level above
 * 1/2. */
void experiment_doubts(const Experiment *x, Text *out);

/* The same of one run, as far as its spec shows it, as it was asked for; said: bit i: somebody set spec_keys[i]. A line
 * per doubt. */
void spec_doubts(const RunSpec *s, uint64_t said, Text *out);

#endif
