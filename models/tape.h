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

/* How a parameter starts: at random, with the recipe's standard deviations (models/init.h) unless the tensor has
 * its own; or with given values: one everywhere; 1 in column `value`, 0 in the others; a mix of streams, the
 * identity with a column of ones behind it, row by row. */
typedef enum { INIT_TOKEN, INIT_POSITION, INIT_MATRIX, INIT_RESIDUAL, INIT_VALUE, INIT_ONE_HOT, INIT_MIX } InitKind;

/* Room for a tensor's name, and for "act h.3.attn": a name and what is wrong there. */
enum { TENSOR_NAME_SIZE = 48, CULPRIT_SIZE = 64 };

typedef struct {
    int rows, cols;           /* row-major [rows][cols] */
    size_t at;                /* first word inside a replica of its role's arena; of activations: models/places.h */
    Role role;                /* PARAM, ACT, SAVE or TOKEN */
    bool measure;             /* the loss or a measure, or what is made of one: a float in every precision */
    int layer;                /* block 0.., or -1 outside the blocks */
    InitKind init;            /* parameters */
    double value;             /* INIT_VALUE: what every element starts as; INIT_ONE_HOT: a column; INIT_MIX: streams */
    double std;               /* parameters at random: their standard deviation, 0: the recipe's */
    UnitKind unit;            /* parameters: what has length 1 at the start and after every update */
    double scale, scale_last; /* what that is multiplied by, and once more in the last third of the rows */
    char name[TENSOR_NAME_SIZE]; /* parameters: the export name, which also seeds their random stream */
} Tensor;

typedef struct {
    OpKind kind;
    int in_at, in_count; /* inputs are tape->input[in_at .. in_at + in_count) */
    int out, save;       /* tensors; save is -1 when the op keeps nothing */
    int layer;
    Attr attr;
} Op;

/* An input: int32 [rows][1] that whoever trains the model fills before each pass. */
typedef struct {
    const char *name; /* "tokens", "targets", …; lives as long as the program */
    int tensor;
} Feed;

/* Where a probe's site stands in this model. */
typedef struct {
    ProbeSite site;
    int layer, tensor; /* layer: -1 outside the blocks */
    int first, rows;   /* of the tensor; rows 0: all of it */
} Mark;

/* A parameter that starts as a pass over the first batch measures (models/profile.h). */
typedef struct {
    int parameter; /* [1][cols]; TENSOR_NONE: this sublayer has none */
    int branch;    /* the activation whose variance counts from the next one on */
    bool anew;     /* the first of its stack: nothing before it counts */
} Profile;

/* One number that a step measures. */
typedef struct {
    ProbeKind kind;
    int layer;  /* block, or -1: the whole model */
    int tensor; /* what is marked; TENSOR_NONE: this model has none there, NaN; TENSOR_PARAMETERS: all of the layer's */
    int first, rows; /* of that tensor; rows 0: all of it */
    Role role;       /* ACT, DACT, PARAM, GRAD */
    Reduction reduction; /* REDUCTION_COUNT: no step computes it */
} Probe;
enum { TENSOR_NONE = -1, TENSOR_PARAMETERS = -2 };

/* Whether there is nothing to measure when the backward pass overflowed. */
static inline bool probe_of_gradients(const Probe *p) {
    return p->role == ROLE_GRAD || p->role == ROLE_DACT;
}

typedef struct {
    Tensor *tensor;
    Op *op;
    int *input; /* tensor indices, all ops' inputs in one flat list */
    Feed *feed;
    Mark *mark;
    Probe *probe;     /* those of the whole model first */
    Profile *profile; /* in the order of the passes */
    int tensors, ops, inputs, feeds, marks, probes, profiles;
    size_t words[ROLE_COUNT]; /* per replica: PARAM, ACT (none shared), SAVE, TOKEN; tensors begin on cache lines */
    int logits, nll, loss;    /* [rows][vocab], [rows][1], [1][1] */
    int layers;
    int head;                 /* the op that makes the logits' product; nll's op is the last of the head's */
    int head_rows;            /* logits that are held at once, and made again in the backward pass; 0: all */
    int passes;               /* over a batch, of which a tape has the rows of one (models/micro.h) */
    bool recompute;           /* blocks' activations are not kept for the backward pass (models/recompute.h) */
    bool untrained;           /* no optimizer will see it: its programs have no moments */
} Tape;

void tape_init(Tape *t);
void tape_release(Tape *t);

/* Appends a tensor, returns its index. A feed's name is a constant. */
int tape_feed(Tape *t, int rows, const char *name);
int tape_param(Tape *t, int rows, int cols, InitKind init, double value, int layer, const char *name);

/* Appends an op over in[count], returns its output tensor, which is called name. A shape that does not fit is our
 * mistake: an assertion. */
int tape_op(Tape *t, OpKind kind, const int *in, int count, Attr attr, int layer, const char *name);

/* Shorthands for one and two inputs. */
int tape_op1(Tape *t, OpKind kind, int a, Attr attr, int layer, const char *name);
int tape_op2(Tape *t, OpKind kind, int a, int b, Attr attr, int layer, const char *name);

/* The parameter called name, or -1. */
int tape_find(const Tape *t, const char *name);

/* The tensor of the feed called name, or -1. */
int tape_fed(const Tape *t, const char *name);

/* Says that a probe's site stands at this activation; the first mark of a site and layer counts. */
void tape_mark(Tape *t, ProbeSite site, int layer, int tensor);
/* The same of rows first .. first + rows - 1 of a parameter. */
void tape_mark_rows(Tape *t, ProbeSite site, int layer, int tensor, int first, int rows);

/* Says that a parameter starts as a profiling pass measures; anew: as Profile. */
void tape_profile(Tape *t, int parameter, int branch, bool anew);

/* Appends the probes of a choice, and the ops that some need: once, when the model is built and its sites are
 * marked. */
void tape_probe(Tape *t, const ProbeChoice *choice);

/* [t->tensors] how often each is an input or what a probe looks at; the caller frees them. */
int *tape_readers(const Tape *t);

/* Parameters of the whole model. */
size_t tape_parameters(const Tape *t);

/* One line per op: number, layer, name, shapes (normbench explain). */
void tape_print(const Tape *t, Text *out);

/* SHA-256 of what is computed and of how its parameters start: two tapes with one hash are one network in the same
 * shape, whatever the words that made them. Activations' names, marks and probes' names are not in it. */
void tape_sha256(const Tape *t, char out[SHA256_HEX]);

/* Whether an op is of a head that is cut into pieces of rows; rows of a tensor that memory holds at once. */
bool tape_cut(const Tape *t, int op);
int tape_rows(const Tape *t, int tensor);
/* Whether nothing in the head but its matrix is a parameter: then it can be cut. */
bool tape_can_cut(const Tape *t);

/* Words of `word` bytes that a tensor takes in memory: a measure takes two of 2 bytes for each of its numbers. */
size_t tape_words(const Tape *t, int tensor, size_t word);

/* Words a tensor takes in its arena: whole cache lines in either word size. */
size_t tensor_words(const Tensor *t);

/* A gain, bias or gate, which files store with one dimension; a matrix of one row stays a matrix. */
bool tensor_vector(const Tensor *t);

/* The role whose arena holds a tensor's gradient; ROLE_COUNT when it has none. */
Role role_gradient(Role role);

/* FLOPs of one forward and backward pass over all rows: matmuls 2 mnk each way, attention over keys that are seen. */
double tape_flops(const Tape *t);

/* The op that makes a tensor. */
int tape_maker(const Tape *t, int tensor);

/* The save tensor whose second column says which targets were predicted right. */
int tape_hits(const Tape *t);

#endif
