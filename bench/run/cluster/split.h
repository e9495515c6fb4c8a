/* Runs whose batches are cut into parts (models/micro.h), and processes that share the parts (--micro-batch, --ranks).
 * In precision exact the bits are those of one part, so that nothing of this stands in a record's id; where a library
 * adds, the class names the parts and the ranks (run_class). */
#ifndef BENCH_RUN_CLUSTER_SPLIT_H
#define BENCH_RUN_CLUSTER_SPLIT_H

#include "bench/run/todo.h"

/* Whether the runs that are still to be done can be cut so. RC_USAGE: one cannot, and why. */
Rc split_check(const Session *s, const Todo *t, Error *e);

/* The same of one batch: RC_USAGE says which parts are possible. Of t it reads micro_batch and ranks. */
Rc split_fits(const Todo *t, const RunSpec *spec, Error *e);

/* Whether a run's logits can be made in pieces (--logit-rows). RC_USAGE says why not. */
Rc split_logits(const RunSpec *spec, const Backend *backend, Error *e);

/* Before anything is trained: all ranks have the same program, plan and arithmetic. RC_USAGE on every rank. */
Rc split_agree(const Ranks *r, const Todo *t, Error *e);

/* Rank 0: the others train run[runs] of the todo with it now; runs = 0: there is nothing more. */
void split_tell(const Ranks *r, const int *run, int runs);
/* The other ranks: what is to be trained now; to be freed. Returns how many, 0 at the end. */
int split_told(const Ranks *r, int **run);

#endif
