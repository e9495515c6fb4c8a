/* Hash log: the hash of every op of every step of a run, one line each, to compare two arithmetics op by op:
 *     pre seed 1  step 0  forward   12 attention  h.0.attn  5c0f…
 * Between two machines, compilers or backends, the first line that differs names the step and the op. */
#ifndef BENCH_RUN_HASH_LOG_H
#define BENCH_RUN_HASH_LOG_H

#include "bench/run/todo.h"

/* Append the log of the first `steps` steps of every arm of the experiment, first cell and seed. */
Rc hash_log_experiment(Session *s, const Experiment *x, const Backend *backend, int steps, Text *out, Error *e);

/* Return the first line in which two logs differ, 0-based; -1: they are equal. line_a, line_b: both texts. */
int hash_log_difference(const char *a, const char *b, char line_a[256], char line_b[256]);

#endif
