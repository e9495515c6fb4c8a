/* Which activations are kept, and where they stand in their arena: decided once from the list of ops.
 *
 * An op whose row allows it (op_over) may write its output in the memory of an input that no other op reads: residual's
 * y over f, dropout's y over x. That memory is in the caches already, and the output needs none of its own. The input's
 * values are then lost after the forward pass; no backward reads them. */
#ifndef MODELS_PLACES_H
#define MODELS_PLACES_H

#include "models/tape.h"

/* Compute activations again in the backward pass instead of keeping them (activation checkpointing; Chen et al.,
 * "Training Deep Nets with Sublinear Memory Cost", 2016): of every block only what is read outside of it is kept. The
 * other activations of all blocks share the memory of one block. An op gives the same bits again, dropout included.
 *
 * An op is run again where its output is lost and a backward, or an op that is run again, reads it. Ops that may write
 * over an input (op_over) do not read it in their backward: the last product of a sublayer is not run again. */
typedef struct {
    int *block;  /* [ops] the block of an op, counted from 0 in the order of the forward pass; -1: none */
    bool *lost;  /* [tensors] an activation whose memory the next block uses */
    bool *again; /* [ops] run again before the backward of its block; never those of the last block */
} Recompute;

/* Make the plan; without Tape.recompute nothing is lost and no op has a block. */
void recompute_init(Recompute *r, const Tape *tape);
void recompute_release(Recompute *r);

typedef struct {
    size_t words; /* per replica */
    size_t *at;   /* [tape->tensors] first word of an activation */
} Places;

/* Place the activations. over false: none is in the memory of an input. Activations that a block loses share memory
 * with those of other blocks, after all others. word: bytes of the arena's numbers. */
void places_init(Places *p, const Tape *tape, bool over, const Recompute *recompute, size_t word);
void places_release(Places *p);

#endif
