/* A model is one static tape: a flat list of ops over contiguous two-dimensional tensors, built once, never edited, run
 * forward in order and backward in reverse. The rules that keep it tiny: one word type per role; no views; no
 * broadcasting except "a parameter row serves all rows of its replica"; no branching. If tape.c passes 300 lines,
 * something belongs elsewhere.
 *
 * A Tape is a plan and holds no numbers; models/program.h gives it memory on a backend. */
#ifndef MODELS_TAPE_H
#define MODELS_TAPE_H

#include "base/text.h"
#include "kernels/op.h"

/* How a parameter starts; the standard deviations are the recipe's (models/init.h). */
typedef enum { INIT_TOKEN, INIT_POSITION, INIT_MATRIX, INIT_RESIDUAL, INIT_VALUE } InitKind;

typedef struct {
    int rows, cols; /* row-major [rows][cols] */
    size_t at;      /* first word inside a replica of its role's arena; of activations: models/places.h */
    Role role;      /* PARAM, ACT, SAVE or TOKEN */
    int layer;      /* block 0.., or -1 outside the blocks */
    InitKind init;  /* parameters */
    double value;   /* INIT_VALUE: what every element starts as */
    char name[48];  /* parameters: the export name, which also seeds their random stream */
} Tensor;

typedef struct {
    OpKind kind;
    int in_at, in_count; /* inputs are tape->input[in_at .. in_at + in_count) */
    int out, save;       /* tensors; save is -1 when the op keeps nothing */
    int layer;
    Attr attr;
} Op;

typedef struct {
    Tensor *tensor;
    Op *op;
    int *input; /* tensor indices, all ops' inputs in one flat list */
    int tensors, ops, inputs;
    size_t words[ROLE_COUNT]; /* per replica; PARAM, ACT (each apart), SAVE, TOKEN, each tensor aligned to a cache line */
    int tokens, targets;      /* int32 [rows][1] */
    int logits, nll, loss;    /* [rows][vocab], [rows][1], [1][1] */
    int embedding_norm;       /* [1][1] mean L2 norm of the vectors entering block 1, a probe; -1 absent */
    int layers;
} Tape;

void tape_init(Tape *t);
void tape_release(Tape *t);

/* Appends a tensor, returns its index. */
int tape_token(Tape *t, int rows, const char *name);
int tape_param(Tape *t, int rows, int cols, InitKind init, double value, int layer, const char *name);

/* Appends an op over in[count], returns its output tensor, which is called name. A shape that does not fit is our
 * mistake: an assertion. */
int tape_op(Tape *t, OpKind kind, const int *in, int count, Attr attr, int layer, const char *name);

/* Shorthands for one and two inputs. */
int tape_op1(Tape *t, OpKind kind, int a, Attr attr, int layer, const char *name);
int tape_op2(Tape *t, OpKind kind, int a, int b, Attr attr, int layer, const char *name);

/* The parameter called name, or -1. */
int tape_find(const Tape *t, const char *name);

/* [t->tensors] how often each is an input; the caller frees them. */
int *tape_readers(const Tape *t);

/* Parameters of the whole model. */
size_t tape_parameters(const Tape *t);

/* One line per op: number, layer, name, shapes (normbench explain). */
void tape_print(const Tape *t, Text *out);

/* Words a tensor takes in its arena: whole cache lines in either word size. */
size_t tensor_words(const Tensor *t);

/* The role whose arena holds a tensor's gradient; ROLE_COUNT when it has none. */
Role role_gradient(Role role);

/* FLOPs of one forward and backward pass over all rows: matmuls 2 mnk each way, causal attention counted once. */
double tape_flops(const Tape *t);

#endif
