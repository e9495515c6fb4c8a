/* A network before its first step, looked into in double: what theory about initialization is checked on.
 *
 * It is the transformer of models/transformer.h, on backend cpu64, with one of two starts:
 *
 *   START_xiong  the setting of Xiong et al. 2020, section 3.3: one head without a mask, W_Q = W_K = 0 (so attention is
 *                the mean over all tokens), no W_O (held at the identity), W_V, W_1, W_2 of d x d with entries
 *                N(0, 1/d), ReLU, no biases, norms with eps = 0, inputs i.i.d. N(0, I_d)
 *                What the row's start multiplies its matrices by, they are multiplied by here, but for W_O
 *   START_gpt    GPT-2's: causal, N(0, 0.02), projections into the stream over sqrt(2L), random tokens;
 *                or the row's own start, where it has one
 *
 * Nothing here is trained: theory_net_step and theory_net_noise change the weights once. All numbers are those of one
 * seed; nets share nothing, so several threads may each have their own. */
#ifndef MODELS_THEORY_NET_H
#define MODELS_THEORY_NET_H

#include "models/transformer.h"

typedef enum { START_xiong, START_gpt } TheoryStart;

/* What stands behind the last block: the mean cross-entropy of random targets, whose derivative is bounded; or the sum
 * over tokens of x . c, c set by theory_net_direction, whose gradient at the inputs is the Jacobian's transpose times
 * c. */
typedef enum { HEAD_loss, HEAD_direction } TheoryHead;

typedef struct {
    int layers, width, tokens; /* one sequence */
    Variant variant;
    TheoryStart start;
    TheoryHead head;
    bool relu;  /* START_gpt: in place of GELU */
    int heads, ffn_mult; /* START_gpt; else 1 */
    uint64_t seed;
} TheoryPlan;

typedef struct TheoryNet TheoryNet;

/* *out is freed by theory_net_free. RC_UNMEASURED: memory is short. */
Rc theory_net_make(TheoryNet **out, const TheoryPlan *plan, Error *e);
void theory_net_free(TheoryNet *n);

void theory_net_forward(TheoryNet *n);
/* Forward and backward. */
void theory_net_gradients(TheoryNet *n);

/* The mean over tokens of |x|^2 / d at a place of block `layer` (0-based). */
typedef enum {
    PLACE_attn_sum, /* what attention's residual add gives: x^{.,2} of Xiong et al. */
    PLACE_mlp_sum,  /* x^{.,5}: before a norm behind it */
    PLACE_leaving,  /* what leaves the block; layer -1: what enters the first */
    PLACE_read      /* what the attention sublayer reads: behind its norm, if it has one */
} TheoryPlace;
double theory_net_square(const TheoryNet *n, TheoryPlace place, int layer);

/* The mean over tokens i of |mean of what attention sees at i|^2 / d, in block `layer`. */
double theory_net_shared(const TheoryNet *n, int layer);

/* The Frobenius norm of the gradient of a block's matrix or gate, "mlp.c_proj.weight"; NaN: there is none. */
double theory_net_gradient(const TheoryNet *n, int layer, const char *name);

/* The gradients of all matrices of the blocks, as one vector: their largest absolute value. */
double theory_net_largest_gradient(const TheoryNet *n);

/* By what the row's start multiplies a matrix of block `layer`; of c_attn: its third for the values. NaN: there is no
 * such matrix. */
double theory_net_scale(const TheoryNet *n, int layer, const char *name);

/* What stands behind the last norm: [tokens][width]. */
int theory_net_words(const TheoryNet *n);
int theory_net_tokens(const TheoryNet *n);
void theory_net_output(const TheoryNet *n, double *out);
/* What entered: [tokens][width]; its gradient, after theory_net_gradients. */
void theory_net_input(const TheoryNet *n, double *out);
void theory_net_input_gradient(const TheoryNet *n, double *out);

/* The weights of the blocks less eta times their gradients. */
void theory_net_step(TheoryNet *n, double eta);
/* To every weight of the blocks' matrices, independent noise of `scale` times its standard deviation. */
void theory_net_noise(TheoryNet *n, double scale);
/* Takes from every column of every matrix that writes into the stream, and of the inputs, its mean: what is added to
 * the stream then has mean 0. */
void theory_net_center(TheoryNet *n);

/* HEAD_direction: c, [width]. */
void theory_net_direction(TheoryNet *n, const double *c);

#endif
