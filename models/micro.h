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
 * several: they divide the passes. RC_UNMEASURED as allreduce_init. */
Rc micro_init(Micro **out, Trainer *t, const Ranks *ranks, Error *e);
void micro_release(Micro *m);

/* The whole batch's ids of a feed: [rows of all passes]. */
int32_t *micro_ids(const Micro *m, int feed, int replica);

/* Forward and backward of this rank's micro-batches; then gradients, the loss and the means that probes asked for are
 * those of the whole batch, on every rank. measured: what probes read of activations is kept; thin: of the added ones
 * too. */
void micro_step(Micro *m, Trainer *t, bool measured, bool thin);

/* Of the numbers that probes are made of (value[measure.gradient]) those of activations: the whole batch's. */
void micro_parts(const Micro *m, const Trainer *t, int replica, double *value);

/* The first activation that was not finite in the step, of any micro-batch on any rank: the tensor, or -1. */
int micro_culprit(const Micro *m, const Trainer *t, int replica);

/* Forward alone; then every rank knows every row's nll (nats) and whether its target was predicted right. */
void micro_forward(Micro *m, Trainer *t);
void micro_row(const Micro *m, int replica, int row, double *nll, bool *right);

#endif
