/* Where activation gradients stand, and who writes them: decided once from the list of ops.
 *
 * A gradient lives from the first op of the backward pass that contributes to it until the op that made its tensor has
 * read it. Gradients that do not live at the same time share memory: a model needs that of about two layers, whatever its
 * depth, and it stays in the caches. A gradient may lie over its own activation (op_over_self) if no other op reads that:
 * it is then written to lines that were just read. */
#ifndef MODELS_GRADIENTS_H
#define MODELS_GRADIENTS_H

#include "models/tape.h"

typedef struct {
    size_t words;                   /* per replica: the most that live at once, as first fit places them */
    size_t *at;                     /* [tape->tensors] first word of an activation's gradient, if it is not over */
    bool *over;                     /* [tape->tensors] it lies over the activation itself, in that one's arena */
    bool *reached;                  /* [tape->ops] the loss depends on this op's output: it has a backward */
    bool (*accumulate)[OP_MAX_IN];  /* [tape->ops] the first to give a tensor its gradient writes, the others add */
} Gradients;

/* over = false: none lies over its activation. */
void gradients_init(Gradients *g, const Tape *tape, bool over);
void gradients_release(Gradients *g);

#endif
