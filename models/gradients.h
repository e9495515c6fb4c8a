/* Place activation gradients in memory, and find which op writes each first: decided once from the list of ops.
 *
 * A gradient is live from the first op of the backward pass that contributes to it until the op that made its tensor
 * has read it. Gradients that are not live at the same time share memory: a model needs that of about two layers,
 * whatever its depth, and it stays in the caches. An op whose row allows it (op_over_self) writes a gradient over the
 * activation, to lines that it has just read, if no other op reads that activation. A gradient that a probe reads is
 * kept until the next backward pass. */
#ifndef MODELS_GRADIENTS_H
#define MODELS_GRADIENTS_H

#include "models/tape.h"

typedef struct {
    size_t words;                  /* per replica: peak of live gradients, placed by first fit */
    size_t *at;                    /* [tape->tensors] first word of an activation's gradient, if not `over` */
    bool *kept;                    /* [tape->tensors] a probe reads the gradient: its memory is not shared */
    bool *over;                    /* [tape->tensors] the gradient overwrites the activation, in that arena */
    bool *reached;                 /* [tape->ops] the loss depends on this op's output: it has a backward */
    size_t (*beside)[OP_MAX_IN];   /* [tape->ops] with several passes: if not 0, offset from a parameter's gradient at
                                     * which a later contribution is kept apart (models/micro.h) */
    size_t beside_words;           /* size of these, after the parameters' gradients */
    bool (*accumulate)[OP_MAX_IN]; /* [tape->ops] false for the first contribution to a gradient, which is written */
} Gradients;

/* Plan the gradients. over false: none overwrites its activation. word: bytes of the arena's numbers. */
void gradients_init(Gradients *g, const Tape *tape, bool over, size_t word);
void gradients_release(Gradients *g);

/* Return [tensors] the op whose backward is the last to add to a tensor's gradient, which is then complete; -1: it has
 * none. Of two gradients the one of the higher op is computed first. The caller frees the list. */
int *gradients_whole(const Gradients *g, const Tape *tape);

#endif
