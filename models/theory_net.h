/* A network before its first step, computed in double, to check theory about initialization.
 *
 * It is the transformer of models/transformer.h, on backend cpu64, with one of two starts:
 *
 *   START_xiong  the setting of Xiong et al. 2020, section 3.3: one head without a mask, W_Q = W_K = 0 (so attention is
 *                the mean over all tokens), no W_O (held at the identity), W_V, W_1, W_2 of d x d with entries
 *                N(0, 1/d), ReLU, no biases, norms with eps = 0, inputs i.i.d. N(0, I_d)
 *                The row's factors of its initial matrices apply, but for W_O
 *   START_gpt    GPT-2's: causal, N(0, 0.02), projections into the stream over sqrt(2L), random tokens;
 *                or the row's own initialization
 *
 * Nothing is trained: theory_net_step and theory_net_noise change the weights once. All numbers are of one seed; nets
 * share nothing, so threads may each have their own. */
#ifndef MODELS_THEORY_NET_H
#define MODELS_THEORY_NET_H

#include "models/transformer.h"

typedef enum { START_xiong, START_gpt } TheoryStart;

/* Head after the last block: the mean cross-entropy of random targets, whose derivative is bounded; or the sum over
 * tokens of x . c, c set by theory_net_direction, whose gradient at the inputs is the Jacobian's transpose times c. */
typedef enum { HEAD_loss, HEAD_direction } TheoryHead;

typedef struct {
    int layers, width, tokens; /* one sequence */
    Variant variant;
    TheoryStart start;
    TheoryHead head;
    bool relu;  /* START_gpt: ReLU in place of GELU */
    int heads, ffn_mult; /* START_gpt; else 1 */
    uint64_t seed;
} TheoryPlan;

typedef struct TheoryNet TheoryNet;

/* Make a net, which theory_net_free frees. RC_UNMEASURED: memory is short. */
Rc theory_net_make(TheoryNet **out, const TheoryPlan *plan, Error *e);
void theory_net_free(TheoryNet *n);

void theory_net_forward(TheoryNet *n);
/* Run forward and backward. */
void theory_net_gradients(TheoryNet *n);
/* Run forward, and backward only until the gradient of a block's matrix is there: blocks before it get none. */
void theory_net_gradients_until(TheoryNet *n, int layer, const char *name);

/* Return the mean over tokens of |x|^2 / d at a place of block `layer` (0-based). */
typedef enum {
    PLACE_attn_sum, /* output of attention's residual add: x^{.,2} of Xiong et al. */
    PLACE_mlp_sum,  /* x^{.,5}: before a norm after it */
    PLACE_leaving,  /* output of the block; layer -1: input of the first */
    PLACE_read      /* input of attention, after its norm, if it has one */
} TheoryPlace;
double theory_net_square(const TheoryNet *n, TheoryPlace place, int layer);

/* Return the mean over tokens i of |mean of what attention sees at i|^2 / d, in block `layer`. */
double theory_net_shared(const TheoryNet *n, int layer);

/* Return the Frobenius norm of the gradient of a block's matrix or gate, "mlp.c_proj.weight"; NaN: there is none. */
double theory_net_gradient(const TheoryNet *n, int layer, const char *name);

/* Return the largest absolute value of the gradients of all matrices of the blocks. */
double theory_net_largest_gradient(const TheoryNet *n);

/* Return the row's factor of an initial matrix of the first block; for c_attn, of the values' third. NaN: there is no
 * such matrix. */
double theory_net_scale(const TheoryNet *n, const char *name);

/* Return the size of, or copy, the output of the last norm: [tokens][width]. */
int theory_net_words(const TheoryNet *n);
int theory_net_tokens(const TheoryNet *n);
void theory_net_output(const TheoryNet *n, double *out);
/* Copy the input, [tokens][width], or its gradient, after theory_net_gradients. */
void theory_net_input(const TheoryNet *n, double *out);
void theory_net_input_gradient(const TheoryNet *n, double *out);

/* Subtract eta times their gradients from the weights of the blocks. */
void theory_net_step(TheoryNet *n, double eta);
/* Add independent noise of `scale` times its standard deviation to every weight of the blocks' matrices. */
void theory_net_noise(TheoryNet *n, double scale);
/* Subtract its mean from every column of every matrix that writes into the stream, and of the inputs, so that all
 * additions to the stream have mean 0. */
void theory_net_center(TheoryNet *n);

/* Set HEAD_direction's c, [width]. */
void theory_net_direction(TheoryNet *n, const double *c);

#endif
