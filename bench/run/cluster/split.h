/* Split batches into parts (models/micro.h), and share the parts among processes (--memory micro-batch, --ranks). In
 * precision exact the bits are those of one part, so a record's id does not know of it; if a library adds, the class
 * names the parts and the ranks (run_class). */
#ifndef BENCH_RUN_CLUSTER_SPLIT_H
#define BENCH_RUN_CLUSTER_SPLIT_H

#include "bench/run/todo.h"

/* Check that the missing runs can be cut so. RC_USAGE: one cannot, and why. */
Rc split_check(const Session *s, const Todo *t, Error *e);

/* Check one batch; RC_USAGE says which parts are possible. Of t, micro_batch and ranks are read. */
Rc split_fits(const Todo *t, const RunSpec *spec, Error *e);

/* Check that a run's logits can be made in pieces (--memory logit-rows). RC_USAGE says why not. */
Rc split_logits(const RunSpec *spec, const Backend *backend, Error *e);

/* Check, before training, that all ranks have the same program, plan and arithmetic. RC_USAGE on every rank. */
Rc split_agree(const Ranks *r, const Todo *t, Error *e);

/* On rank 0: tell the others to train run[runs] of the todo now; runs = 0: the end. */
void split_tell(const Ranks *r, const int *run, int runs);
/* On other ranks: receive the runs to train now; the caller frees them. Return how many, 0 at the end. */
int split_told(const Ranks *r, int **run);

#endif
