/* Compute activations again in the backward pass instead of keeping them (activation checkpointing; Chen et al.,
 * "Training Deep Nets with Sublinear Memory Cost", 2016): of every block only what is read outside of it is kept. The
 * other activations of all blocks share the memory of one block. An op gives the same bits again, dropout included.
 *
 * An op is run again where its output is lost and a backward, or an op that is run again, reads it. Ops that may write
 * over an input (op_over) do not read it in their backward: the last product of a sublayer is not run again. */
#ifndef MODELS_RECOMPUTE_H
#define MODELS_RECOMPUTE_H

#include "models/tape.h"

typedef struct {
    int *block;  /* [ops] the block of an op, counted from 0 in the order of the forward pass; -1: none */
    bool *lost;  /* [tensors] an activation whose memory the next block uses */
    bool *again; /* [ops] run again before the backward of its block; never those of the last block */
} Recompute;

/* Make the plan; without Tape.recompute nothing is lost and no op has a block. */
void recompute_init(Recompute *r, const Tape *tape);
void recompute_release(Recompute *r);

#endif
