/* The sums of parameters' gradients over the passes of a batch and over the ranks that share them, with the bits of one
 * pass (models/micro.h says why they are the same).
 *
 * In a rank's last backward pass a gradient is joined as soon as it is complete: gradients are cut into buckets, in the
 * order in which the pass completes them, and while a bucket is joined with those of earlier passes and of other ranks
 * the pass goes on. On a host a thread of its own does that, on a device a second stream. Nothing waits but the end of
 * the pass, for the last bucket. */
#ifndef MODELS_ALLREDUCE_H
#define MODELS_ALLREDUCE_H

#include "base/ranks.h"
#include "models/program.h"

typedef struct Allreduce Allreduce;

/* passes: over a batch, by all of the ranks (NULL: this process alone), a power of two as they are. The program and the
 * ranks must outlive it. RC_UNMEASURED: memory is short, or the devices of the ranks cannot reach each other. */
Rc allreduce_init(Allreduce **out, Program *p, int passes, const Ranks *ranks, Error *e);
void allreduce_release(Allreduce *a);

/* The backward pass of this rank's pass number `pass`, 0 first. After the last one the gradients are the sums over the
 * batch, on every rank; before it they are nobody's. */
void allreduce_backward(Allreduce *a, int pass);

/* Partial sums, each as large as all gradients, that so many passes of one process need at once beside the gradients
 * of the pass that is being made. Ranks need no more: what they exchange takes the place of the passes that others
 * make. */
size_t allreduce_slots(int passes);

/* Where pass number `pass` stands among the partial sums, as in a binary counter: the number of its ones. Every one of
 * its lowest ones joins two, by rule 2's tree; the gradients of an odd pass join the sum before them at once. */
int allreduce_slot(int pass);

/* How many buckets there are, and the bytes of the smallest and the largest of one replica: for tests. */
int allreduce_buckets(const Allreduce *a, size_t *least, size_t *most);

#endif
