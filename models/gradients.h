/* Where activation gradients are, and which op writes them first: decided once from the list of ops.
 *
 * A gradient is live from the first op of the backward pass that contributes to it until the op that made its tensor
 * has read it. Gradients that are not live at the same time share memory: a model needs that of about two layers,
 * whatever its depth, and it stays in the caches. An op whose row allows it (op_over_self) writes a gradient in place
 * of the activation, to lines that it has just read, if no other op reads that activation. A gradient that a probe
 * looks at stays until the next backward pass. */
#ifndef MODELS_GRADIENTS_H
#define MODELS_GRADIENTS_H

#include "models/tape.h"

typedef struct {
    size_t words;                  /* per replica: the most that is live at once, as first fit places it */
    size_t *at;                    /* [tape->tensors] first word of an activation's gradient, if not `over` */
    bool *kept;                    /* [tape->tensors] a probe looks at the gradient: nothing else gets its memory */
    bool *over;                    /* [tape->tensors] the gradient is in place of the activation, in that arena */
    bool *reached;                 /* [tape->ops] the loss depends on this op's output: it has a backward */
    size_t (*beside)[OP_MAX_IN];   /* [tape->ops] where passes are several, a later contribution to a parameter's
                                     * gradient stands apart, at this word behind it, if not 0 (models/micro.h) */
    size_t beside_words;           /* behind the parameters' gradients */
    bool (*accumulate)[OP_MAX_IN]; /* [tape->ops] the first to give a tensor its gradient writes, the others add */
} Gradients;

/* over = false: no gradient is in place of its activation. word: bytes of the arena's words. */
void gradients_init(Gradients *g, const Tape *tape, bool over, size_t word);
void gradients_release(Gradients *g);

/* [tensors] the op whose backward is the last to add to a tensor's gradient, which is then whole; -1: it has none. Of
 * two gradients the one of the higher op is computed first. The caller's to free. */
int *gradients_whole(const Gradients *g, const Tape *tape);

#endif
