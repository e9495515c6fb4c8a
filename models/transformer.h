/* Build the tape of a GPT or an encoder-decoder from ModelShape and Variant. */
#ifndef MODELS_TRANSFORMER_H
#define MODELS_TRANSFORMER_H

#include "models/tape.h"
#include "models/variant.h"

typedef enum { ACTIVATION_GELU, ACTIVATION_RELU, ACTIVATION_SWIGLU } Activation;
typedef enum { POSITIONS_LEARNED, POSITIONS_ROPE, POSITIONS_NONE, POSITIONS_SINUSOIDAL } Positions;

/* Shape of a model, shared by all arms of an experiment. */
typedef struct {
    int layers, width, heads, context, vocab, batch;
    int passes;     /* passes over a batch, a part of its sequences each (models/micro.h); 0: 1 */
    int head_rows;  /* rows of logits at once, computed again in the backward pass (models/head.h); 0: all */
    bool recompute; /* compute blocks' activations again instead of keeping them (models/places.h) */
    int ffn_mult;   /* hidden width of the MLP / width; shape_hidden has the exceptions */
    Activation activation;
    Positions positions;
    bool bias;      /* linear layers have biases */
    bool tied;      /* the head is the token embedding */
    bool dropout;   /* dropout ops exist; their p is a scalar of the replica */
    bool full;      /* every token sees all of its sequence; false: causal */
    bool pairs;     /* an encoder of `layers` blocks and a decoder of as many, which reads it (PairFeeds) */
    bool shared;    /* pairs: one table of tokens for both */
    double norm_eps;
} ModelShape;

/* Return true if two shapes are one model. */
bool shape_equal(const ModelShape *a, const ModelShape *b);

/* Return the number of blocks of all stacks. */
int shape_blocks(const ModelShape *s);

/* Return the hidden width of the MLP: ffn_mult * width, or for swiglu, which has three matrices instead of two, 2/3 of
 * that rounded up to a multiple of 8 (Shazeer 2020). */
int shape_hidden(const ModelShape *s);

/* Check that the numbers are consistent, so that the model can be planned (trainer_plan). RC_USAGE (heads do not divide
 * the width, …) names the key. */
Rc shape_keys(const ModelShape *s, Error *e);

/* Check the shape like shape_keys, and that no tensor has more numbers than kernels can count: 2^31 - 1 on a device; on
 * a host shape_keys ensures fewer than 2^31 rows and columns. */
Rc shape_check(const ModelShape *s, bool device, Error *e);

/* Feeds of an encoder-decoder (Vaswani et al. 2017). Sentences are packed, one after the other, into `batch * context`
 * rows each of the source ("source") and the target ("tokens"); none is longer than `context`. Every row has its
 * position in its sentence and a range from .. to - 1 of rows that it sees: of its own kind (target rows see no later
 * ones, by their ranges) and, for target rows, of the source. A row that sees none, with target -1, is padding: it
 * changes no other row. */
typedef struct {
    int tokens, targets, positions, keys; /* tensors; keys: [2 rows] */
    int source, source_positions, source_keys, memory_keys;
} PairFeeds;

/* A stack of blocks with its embedding. A GPT has one; in a model of two each has a prefix for its names, and its
 * blocks' layers follow those of the previous stack. */
typedef struct {
    Tape *t;
    const ModelShape *s;
    const Variant *v;
    const char *prefix; /* prefix of its parameters' names, at most 8 letters: "", "src." */
    StackKind kind;
    int first_layer;             /* the tape's layer of its first block */
    int layer;                   /* block being built, -1 outside */
    Sub sub;                     /* sublayer being built */
    Variant here;                /* the row at that sublayer; around the sublayers, at the first */
    int sublayers;               /* sublayers before it */
    bool data_init;              /* a pass over the first batch initializes the carries */
    bool data_counted;           /* it counts a branch of the stack already */
    int wte;                     /* the token embedding, which a tied head shares; -1: not made yet */
    int positions, keys;         /* feeds of packed sentences; -1: a row's index in the batch gives its position */
    int memory, memory_keys;     /* decoder: the encoder's output, and the feed of the ranges seen of it */
    int x0, block_in;            /* input of the first block, of this block */
    int second;                  /* streams: dual, siamese: r */
    int seen;                    /* streams: mhc: the norm of all streams, from which the matrices are made */
    int group_sum, in_group;     /* streams: attnres_block; sum of the group's outputs, -1: none yet; how many */
    char name[TENSOR_NAME_SIZE]; /* buffer for names */
} Stack;

/* Return an export name in the current block, "h.3." and the rest, or outside the blocks only the rest; valid until the
 * next call. The rest has room for 25 letters and is cut behind them. */
const char *stack_name(Stack *b, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Begin a stack of unpacked sequences, which takes the next s->layers layers of the tape. The shape has passed
 * shape_check; shape and variant must outlive the stack. */
void stack_init(Stack *b, Tape *t, const ModelShape *s, const Variant *v, const char *prefix);

/* Append token embedding, position embedding if positions are learned, its norm and dropout: [batch * context][width]
 * from a feed. */
int stack_embedding(Stack *b, int tokens);

/* Append the blocks and the final norm. */
int stack_blocks(Stack *b, int x);

/* Append logits, loss of every row and mean loss; the tape has one head. */
void stack_head(Stack *b, int x, int targets);

/* Build the tape of a GPT, or with s->pairs of an encoder-decoder: embedding, blocks, head, loss, probes (NULL: the
 * usual ones). The encoder's parameters are called "src." and so on, and its layers come first. The shape has passed
 * shape_check. */
void transformer_build(Tape *t, const ModelShape *s, const Variant *v, const ProbeChoice *probes);

#endif
