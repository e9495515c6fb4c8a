/* Compute a batch in several passes, also by several processes: gradient accumulation and data parallelism with the
 * bits of one pass.
 *
 * A batch of rows is cut into equal micro-batches of whole sequences, a power of two of them, each a power of two of
 * rule 2's blocks (base/canon.h) long: then the sums over the rows of a micro-batch are subtrees of the sums over all
 * rows. Ranks take equal runs of micro-batches in order of rank; each joins its own by the tree, and ranks join by
 * recursive doubling, an add for every level (models/allreduce.h). An op's contribution to a parameter's gradient is
 * joined apart from those of other ops, which are added at the end in the order of rule 4. */
#ifndef MODELS_MICRO_H
#define MODELS_MICRO_H

#include "base/error.h"
#include "base/ranks.h"
#include "models/trainer_state.h"

/* Check that a batch of `batch` sequences of `context` rows can be cut into `passes`, by `ranks` ranks. RC_USAGE names
 * the option and what is possible. */
Rc micro_fits(int batch, int context, int passes, int ranks, Error *e);

/* Prepare a trainer whose tape has several passes (Tape.passes), all in this process or divided among ranks, which must
 * outlive it. RC_UNMEASURED as allreduce_init; the caller releases it in any case. */
Rc micro_init(Trainer *t, const Ranks *ranks, Error *e);
void micro_release(Trainer *t);

/* Columns of StepWay (models/trainer_state.h), on the host and on a device. ids: [rows of all passes]. passes: run this
 * rank's micro-batches; gradients, the loss and the probes' means are then those of the whole batch, on every rank.
 * culprit: searches every micro-batch on every rank. forward: gives every rank every row's score. */
int32_t *micro_ids(const Trainer *t, int feed, int replica);
void micro_passes(Trainer *t, bool measured, bool thin);
void micro_batch(const Trainer *t, int replica, double *value);
int micro_culprit(Trainer *t, int replica);
void micro_forward(Trainer *t);
void micro_scores(const Trainer *t, int replica, int first, int rows, double *nll, bool *right);

#endif
