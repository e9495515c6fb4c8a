/* Doubts: warn about plans that are valid but probably not meant so. Nothing is refused. */
#ifndef BENCH_PLAN_DOUBT_H
#define BENCH_PLAN_DOUBT_H

#include "bench/plan/experiment.h"

/* Append a line per doubt with its arms and cells: a rate of 0, a rate that rises at the end, a warm-up that ends with
 * the run, keys that change nothing, a metric that no run has or that cannot vary, seeds that are one run, a ranking
 * over one rate, a decay that reverses weights' signs, arms on different texts or with a key of their own that is a
 * list, a level above 1/2. */
void experiment_doubts(const Experiment *x, Text *out);

/* Append a line per doubt about one run, from its spec as requested; said: bit i: spec_keys[i] was set. */
void spec_doubts(const RunSpec *s, uint64_t said, Text *out);

#endif
