/* Sum parameters' gradients over the passes of a batch and over the ranks that share them, with the bits of one pass
 * (models/micro.h says why).
 *
 * In a rank's last backward pass a gradient is joined as soon as it is complete: gradients are cut into buckets, in the
 * order in which the pass completes them, and while a bucket is joined with those of earlier passes and of other ranks
 * the pass goes on: on a host by a thread of its own, on a device by a second stream. Only the end of the pass waits,
 * for the last bucket. */
#ifndef MODELS_ALLREDUCE_H
#define MODELS_ALLREDUCE_H

#include "base/ranks.h"
#include "models/program.h"

typedef struct Allreduce Allreduce;

/* Prepare the sums. passes: over a batch, by all ranks (NULL: this process alone); both numbers are powers of two. The
 * program and the ranks must outlive it. RC_UNMEASURED: memory is short, or the ranks' devices cannot reach each
 * other. */
Rc allreduce_init(Allreduce **out, Program *p, int passes, const Ranks *ranks, Error *e);
void allreduce_release(Allreduce *a);

/* Run the backward pass of this rank's pass number `pass`, 0 first. After the last one the gradients are the sums over
 * the batch, on every rank; before it they are undefined. */
void allreduce_backward(Allreduce *a, int pass);

/* Return how many partial sums, each as large as all gradients, `passes` passes of one process need beside the
 * gradients of the current pass. Ranks need no more: received sums replace those of passes that others compute. */
size_t allreduce_slots(int passes);

/* Return the index of pass number `pass` among the partial sums, a binary counter: the number of its one bits. Each
 * trailing one joins two sums, by rule 2's tree; the gradients of an odd pass join the previous sum at once. */
int allreduce_slot(int pass);

#endif
