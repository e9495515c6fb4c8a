/* Traces: the hash of every op of every step of a run, one line each, so that two arithmetics can be compared op by op:
 *     pre seed 1  step 0  forward   12 attention  h.0.attn  5c0f…
 * Made on two machines, compilers or backends, the first line that differs names the step and the op to look at. */
#ifndef BENCH_RUN_TRACE_H
#define BENCH_RUN_TRACE_H

#include "bench/run/todo.h"

/* Appends the trace of the first `steps` steps of every arm of the experiment, first cell and seed. */
Rc trace_experiment(Session *s, const Experiment *x, const Backend *backend, int steps, Text *out, Error *e);

/* The first line in which two traces differ, 0-based; -1 when they are the same. lines holds both lines' text. */
int trace_difference(const char *a, const char *b, char line_a[256], char line_b[256]);

#endif
