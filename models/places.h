/* Place activations in their arena: decided once from the list of ops.
 *
 * An op whose row allows it (op_over) may write its output in the memory of an input that no other op reads: residual's
 * y over f, dropout's y over x. That memory is in the caches already, and the output needs none of its own. The input's
 * values are then lost after the forward pass; no backward reads them. */
#ifndef MODELS_PLACES_H
#define MODELS_PLACES_H

#include "models/recompute.h"

typedef struct {
    size_t words; /* per replica */
    size_t *at;   /* [tape->tensors] first word of an activation */
} Places;

/* Place the activations. over false: none is in the memory of an input. Activations that a block loses share memory
 * with those of other blocks, after all others. word: bytes of the arena's numbers. */
void places_init(Places *p, const Tape *tape, bool over, const Recompute *recompute, size_t word);
void places_release(Places *p);

#endif
