/* Where activations stand in their arena: decided once from the list of ops.
 *
 * An output may lie down over an input (op_over) that no other op reads: y = x + f over f, dropout's y over x. It is then
 * written where the caches already hold the lines, and needs no memory of its own. What was under it is gone after the
 * forward pass: no backward wants it. */
#ifndef MODELS_PLACES_H
#define MODELS_PLACES_H

#include "models/tape.h"

typedef struct {
    size_t words; /* per replica */
    size_t *at;   /* [tape->tensors] first word of an activation */
} Places;

/* over = false: every activation has a place of its own. */
void places_init(Places *p, const Tape *tape, bool over);
void places_release(Places *p);

#endif
