/* A model is one static tape: a flat list of ops over contiguous two-dimensional tensors, built once, never edited, run
 * forward in order and backward in reverse. The rules that keep it tiny: one word type per role; no views; no
 * broadcasting except "a parameter row serves all rows of its replica"; no branching. If tape.c passes 300 lines,
 * something belongs elsewhere.
 *
 * A Tape is a plan and holds no numbers; models/program.h gives it memory on a backend. */
#ifndef MODELS_TAPE_H
#define MODELS_TAPE_H

#include "base/sha256.h"
#include "base/text.h"
#include "kernels/op.h"
#include "kernels/optimizer.h"
#include "models/probe.h"

/* Initialization of a parameter: random, with the recipe's standard deviations (models/init.h) unless the tensor has
 * its own; or given values: one everywhere; 1 in column `value`, 0 in the others; a mix of streams, the identity
 * followed by a column of ones, row by row; a square matrix row by row, 0 on its diagonal. */
typedef enum {
    INIT_TOKEN,
    INIT_POSITION,
    INIT_MATRIX,
    INIT_RESIDUAL,
    INIT_VALUE,
    INIT_ONE_HOT,
    INIT_MIX,
    INIT_DIAGONAL
} InitKind;

/* Bytes for a tensor's name, and for "act h.3.attn": a role and a name. */
enum { TENSOR_NAME_SIZE = 48, CULPRIT_SIZE = 64 };

typedef struct {
    int rows, cols;           /* row-major [rows][cols] */
    size_t at;                /* index in a replica's arena of its role; for activations see models/places.h */
    Role role;                /* PARAM, ACT, SAVE or TOKEN */
    bool measure;             /* the loss or a measure, or made of one: a float in every precision */
    int layer;                /* block 0.., or -1 outside the blocks */
    InitKind init;            /* parameters */
    double value;             /* INIT_VALUE: initial value of all elements; INIT_ONE_HOT: a column; INIT_MIX: streams;
                               * INIT_DIAGONAL: the value off the diagonal */
    double std;               /* random parameters: standard deviation; 0: the recipe's */
    UnitKind unit;            /* parameters: lines that have length 1 at the start and after every update */
    double scale, scale_last; /* factor of the standard deviation, and a further one in the last third of the rows */
    char name[TENSOR_NAME_SIZE]; /* parameters: the export name, which also seeds their random stream */
} Tensor;

typedef struct {
    OpKind kind;
    int in_at, in_count; /* inputs are tape->input[in_at .. in_at + in_count) */
    int out, save;       /* tensors; save -1: the op saves nothing */
    int layer;
    Attr attr;
} Op;

/* An input, int32 [rows][1], which the model's trainer fills before each pass. */
typedef struct {
    const char *name; /* "tokens", "targets", …; lives as long as the program */
    int tensor;
} Feed;

/* Location of a probe's site in this model. */
typedef struct {
    ProbeSite site;
    int layer, tensor; /* layer: -1 outside the blocks */
    int first, rows;   /* rows of the tensor; rows 0: all */
} Mark;

/* A parameter that a pass over the first batch initializes (models/init.h). */
typedef struct {
    int parameter; /* [1][cols]; TENSOR_NONE: this sublayer has none */
    int branch;    /* activation whose variance counts for later parameters */
    bool anew;     /* first of its stack: earlier branches do not count */
} DataInit;

/* One measured number of a step. */
typedef struct {
    ProbeKind kind;
    int layer;  /* block, or -1: the whole model */
    int tensor; /* marked tensor; TENSOR_NONE: none, the number is NaN; TENSOR_PARAMETERS: all of the layer's */
    int first, rows; /* rows of that tensor; rows 0: all */
    Role role;       /* ACT, DACT, PARAM, GRAD */
    Reduction reduction; /* REDUCTION_COUNT: no step computes it */
} Probe;
enum { TENSOR_NONE = -1, TENSOR_PARAMETERS = -2 };

/* Return true if the probe cannot be measured after an overflow in the backward pass. */
static inline bool probe_of_gradients(const Probe *p) {
    return p->role == ROLE_GRAD || p->role == ROLE_DACT;
}

typedef struct {
    Tensor *tensor;
    Op *op;
    int *input; /* tensor indices, all ops' inputs in one flat list */
    Feed *feed;
    Mark *mark;
    Probe *probe;     /* probes of the whole model first */
    DataInit *data_init; /* in the order of the passes */
    int tensors, ops, inputs, feeds, marks, probes, data_inits;
    size_t words[ROLE_COUNT]; /* per replica: PARAM, ACT (none shared), SAVE, TOKEN; tensors begin on cache lines */
    int logits, nll, loss;    /* [rows][vocab], [rows][1], [1][1] */
    int layers;
    int head;                 /* the op that makes the logits' product; nll's op is the last of the head's */
    int head_rows;            /* rows of logits held at once, and computed again in the backward pass; 0: all */
    int passes;               /* passes over a batch; the tape has the rows of one (models/micro.h) */
    bool recompute;           /* blocks' activations are not kept for the backward pass (models/places.h) */
    bool untrained;           /* never updated: its programs have no moments */
} Tape;

void tape_init(Tape *t);
void tape_release(Tape *t);

/* Append a tensor, return its index. A feed's name is a constant. */
int tape_feed(Tape *t, int rows, const char *name);
int tape_param(Tape *t, int rows, int cols, InitKind init, double value, int layer, const char *name);

/* Append an op over in[count], return its output tensor, called name. A wrong shape fails an assertion. */
int tape_op(Tape *t, OpKind kind, const int *in, int count, Attr attr, int layer, const char *name);

/* Append an op with one or two inputs. */
int tape_op1(Tape *t, OpKind kind, int a, Attr attr, int layer, const char *name);
int tape_op2(Tape *t, OpKind kind, int a, int b, Attr attr, int layer, const char *name);

/* Return the parameter called name, or -1. */
int tape_find(const Tape *t, const char *name);

/* Return the tensor of the feed called name, or -1. */
int tape_fed(const Tape *t, const char *name);

/* Mark an activation as a probe's site; the first mark of a site and layer counts. */
void tape_mark(Tape *t, ProbeSite site, int layer, int tensor);
/* Mark rows first .. first + rows - 1 of a parameter as a probe's site. */
void tape_mark_rows(Tape *t, ProbeSite site, int layer, int tensor, int first, int rows);

/* Let the first batch initialize a parameter; anew: see DataInit. */
void tape_data_init(Tape *t, int parameter, int branch, bool anew);

/* Append the probes of a choice, and the ops that some need: once, when the model is built and its sites are marked. */
void tape_probe(Tape *t, const ProbeChoice *choice);

/* Return [t->tensors] how often each is an input or read by a probe; the caller frees them. */
int *tape_readers(const Tape *t);

/* Return the number of parameters of the model. */
size_t tape_parameters(const Tape *t);

/* Append one line per op: number, layer, name, shapes (normbench explain). */
void tape_print(const Tape *t, Text *out);

/* Hash the computation and the initialization of its parameters: tapes with equal hashes are one network in one shape,
 * whatever words made them. Activations' names, marks and probes' names are not hashed. */
void tape_sha256(const Tape *t, char out[SHA256_HEX]);

/* Return true if an op is in a head that is cut into pieces of rows; return the rows of a tensor held at once. */
bool tape_cut(const Tape *t, int op);
int tape_rows(const Tape *t, int tensor);
/* Return true if the head can be cut: its only parameter is its matrix. */
bool tape_can_cut(const Tape *t);

/* Return how many units of `word` bytes a tensor takes: a measure takes two units of 2 bytes for each number. */
size_t tape_words(const Tape *t, int tensor, size_t word);

/* Return the numbers that a tensor takes in its arena: whole cache lines for every type. */
size_t tensor_words(const Tensor *t);

/* Return true for a gain, bias or gate, which files store with one dimension; false for a matrix of one row. */
bool tensor_vector(const Tensor *t);

/* Return the role whose arena holds a tensor's gradient; ROLE_COUNT: none. */
Role role_gradient(Role role);

/* Count the FLOPs of one forward and backward pass over all rows: matmuls 2 mnk each, attention over visible keys. */
double tape_flops(const Tape *t);

/* Return the op that makes a tensor. */
int tape_maker(const Tape *t, int tensor);

/* Return the save tensor whose second column says which targets were predicted right. */
int tape_hits(const Tape *t);

#endif
