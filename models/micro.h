/* A batch in several passes, of several processes too: gradient accumulation and data parallelism with the bits of one
 * pass.
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

/* Whether a batch of `batch` sequences of `context` rows can be cut into `passes`, of `ranks` ranks. RC_USAGE: it names
 * the option and what is possible. */
Rc micro_fits(int batch, int context, int passes, int ranks, Error *e);

/* For a trainer whose tape has so many passes (Tape.passes), all of this process or (ranks, which must outlive it) of
 * several: they divide the passes. RC_UNMEASURED as allreduce_init; it is released all the same. */
Rc micro_init(Trainer *t, const Ranks *ranks, Error *e);
void micro_release(Trainer *t);

/* Columns of StepWay (models/trainer_state.h), on the host and on a device.
 * ids: [rows of all passes].
 * passes: this rank's micro-batches; then gradients, the loss and the means that probes asked for are those of the
 * whole batch, on every rank.
 * culprit: of the step, of any micro-batch on any rank.
 * forward: every rank then knows every row's score. */
int32_t *micro_ids(const Trainer *t, int feed, int replica);
void micro_passes(Trainer *t, bool measured, bool thin);
void micro_batch(const Trainer *t, int replica, double *value);
int micro_culprit(Trainer *t, int replica);
void micro_forward(Trainer *t);
void micro_scores(const Trainer *t, int replica, int first, int rows, double *nll, bool *right);

#endif
