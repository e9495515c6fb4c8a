/* (ModelShape, Variant) -> Tape: the one place where a GPT is written down, and an encoder-decoder. */
#ifndef MODELS_TRANSFORMER_H
#define MODELS_TRANSFORMER_H

#include "models/tape.h"
#include "models/variant.h"

typedef enum { ACTIVATION_GELU, ACTIVATION_RELU, ACTIVATION_SWIGLU } Activation;
typedef enum { POSITIONS_LEARNED, POSITIONS_ROPE, POSITIONS_NONE, POSITIONS_SINUSOIDAL } Positions;

/* What all arms of an experiment share. */
typedef struct {
    int layers, width, heads, context, vocab, batch;
    int passes;     /* over a batch, a part of its sequences each (models/micro.h); 0: 1 */
    int head_rows;  /* logits at once, made again in the backward pass (models/head.h); 0: all */
    bool recompute; /* blocks' activations, instead of keeping them (models/recompute.h) */
    int ffn_mult;   /* hidden width of the MLP / width; shape_hidden has the exceptions */
    Activation activation;
    Positions positions;
    bool bias;      /* on linear layers */
    bool tied;      /* the head is the token embedding */
    bool dropout;   /* dropout ops exist; their p is a scalar of the replica */
    bool full;      /* every token sees all of its sequence; false: causal */
    bool pairs;     /* an encoder of `layers` blocks and a decoder of as many, which reads it (PairFeeds) */
    bool shared;    /* pairs: one table of tokens for both */
    double norm_eps;
} ModelShape;

/* Whether two shapes make one model. */
bool shape_equal(const ModelShape *a, const ModelShape *b);

/* Blocks of all stacks. */
int shape_blocks(const ModelShape *s);

/* Hidden width of the MLP: ffn_mult * width, or of swiglu, which has three matrices for two, 2/3 of that rounded up to
 * a multiple of 8 (Shazeer 2020). */
int shape_hidden(const ModelShape *s);

/* RC_USAGE when the numbers do not fit together (heads do not divide the width, …); the line names the key. A model of
 * this shape can be planned (trainer_plan). */
Rc shape_keys(const ModelShape *s, Error *e);

/* The same, and no tensor has more numbers than kernels count: 2^31 - 1 on a device; on a host it has fewer than 2^31
 * rows and columns, as shape_keys sees to. */
Rc shape_check(const ModelShape *s, bool device, Error *e);

/* The feeds of an encoder-decoder (Vaswani et al. 2017). Sentences stand packed, one behind the other, in `batch *
 * context` rows each of what is read ("source") and of what is written ("tokens"); none is longer than `context`. Every
 * row has its position in its sentence and the rows that it sees, from .. to - 1: of its own kind (what is written sees
 * no row behind itself, which the ranges say) and, of what is written, of the source. A row that sees none, and whose
 * target is -1, is padding: it changes no number of another row. */
typedef struct {
    int tokens, targets, positions, keys; /* tensors; keys: [2 rows] */
    int source, source_positions, source_keys, memory_keys;
} PairFeeds;

/* A stack of blocks with its embedding. One makes a GPT; a model of two stacks gives each a prefix for its names, and
 * its blocks' layers follow those of the stack before. */
typedef struct {
    Tape *t;
    const ModelShape *s;
    const Variant *v;
    const char *prefix; /* of its parameters' names, at most 8 letters: "", "src." */
    StackKind kind;
    int first_layer;             /* the tape's layer of its first block */
    int layer;                   /* block being built, -1 outside */
    Sub sub;                     /* its sublayer being built */
    Variant here;                /* the row as it is there; of what is around the sublayers, at the first of them */
    int sublayers;               /* that stand before it */
    bool profiles, profiled;     /* a profiling pass counts their branches; one of them has been counted */
    int wte;                     /* the token embedding, which a tied head shares; -1: not made yet */
    int positions, keys;         /* feeds of packed sentences; -1: a row's place in the batch says where it stands */
    int memory, memory_keys;     /* of a decoder: what an encoder put out, and the feed of what is seen of it */
    int x0, block_in;            /* what enters the first block, this block */
    int second;                  /* streams: dual; */
    int group_sum, in_group;     /* streams: attnres_block; outputs of the group being summed, -1: none yet; how many */
    char name[TENSOR_NAME_SIZE]; /* room for the name being made */
} Stack;

/* The export name of something in the current block: "h.3." and the rest, or the rest alone outside the blocks. Valid
 * until the next call. */
const char *stack_name(Stack *b, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A stack alone, of unpacked sequences. Takes the next s->layers layers of the tape. The shape has passed shape_check;
 * shape and variant must outlive the stack. */
void stack_init(Stack *b, Tape *t, const ModelShape *s, const Variant *v, const char *prefix);

/* Token embedding, and position embedding where positions are learned, its norm, dropout: [batch * context][width] from
 * a feed. */
int stack_embedding(Stack *b, int tokens);

/* The blocks and the final norm. */
int stack_blocks(Stack *b, int x);

/* Logits, loss of every row, mean loss; the tape has one head. */
void stack_head(Stack *b, int x, int targets);

/* Builds the tape of a GPT, or with s->pairs of an encoder-decoder: embedding, blocks, head, loss, probes (NULL: the
 * usual ones). The encoder's parameters are called "src." and so on, and its layers come first. The shape has passed
 * shape_check. */
void transformer_build(Tape *t, const ModelShape *s, const Variant *v, const ProbeChoice *probes);

#endif
