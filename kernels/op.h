/* The contract every kernel obeys.
 *
 * forward writes y (and `save`, what backward wants to keep). backward writes or adds into each dx as the Call says:
 * `accumulate` is computed from the list of ops when the list is built; no author of an op decides it. Neither
 * allocates, synchronizes, nor reads host state that changes between steps: such values (step, learning rate, seed)
 * live in the replica's Scalars. So any list of ops can be captured into a CUDA graph.
 *
 * Tensors are contiguous, row-major, two-dimensional. Rows are token positions (sequence b, position t at row b * seq +
 * t) or parameter rows; replica r of a View starts r * stride bytes after replica 0, and stride 0 means shared. */
#ifndef KERNELS_OP_H
#define KERNELS_OP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/scalars.h"

typedef enum {
#define OP(name, ...) OP_##name,
#include "kernels/ops.def"
#undef OP
    OP_COUNT
} OpKind;

/* One arena per role; every tensor has one of the first four. A parameter's gradient and moments have the
 * parameter's offset in their own arenas; role_gradient names the arena of a gradient. */
typedef enum {
    ROLE_PARAM,
    ROLE_ACT,
    ROLE_SAVE,
    ROLE_TOKEN,
    ROLE_GRAD,
    ROLE_DACT,
    ROLE_MOMENT1,
    ROLE_MOMENT2,
    ROLE_COUNT
} Role;

enum { OP_MAX_IN = 4 };

/* Constants of an op; each op reads those that its formula names. */
typedef struct {
    int heads;          /* attention, attend, rope: cols of q / heads is the head size */
    int seq;            /* attention, rope, embed: rows per sequence; attend: keys that a query sees at most */
    bool full;          /* attention: a token sees all of its sequence; false: causal */
    int group;          /* norms: columns normalized together; 0 = the whole row; streams, mix: columns of a group;
                         * sinkhorn: rows of a matrix */
    double eps;         /* norms: under the root */
    double alpha, beta; /* scale, residual, softcap, damp; fade, blend: values at the first and the last step */
    uint64_t stream;    /* dropout: Philox subsequence */
} Attr;

/* sinkhorn: how often columns and rows are divided by their sums, and the most rows of a matrix. */
enum { SINKHORN_STEPS = 20, SINKHORN_MAX = 8 };

typedef struct {
    int rows, cols;
} Shape;

/* Column values of ops.def, explained there. */
typedef enum { INPUT_absent, INPUT_act, INPUT_param, INPUT_token, INPUT_range, INPUT_optional_param } InputKind;
typedef enum { y_apart, y_over_in0, y_over_in1 } AliasOfY;
typedef enum { dx_apart, dx_over_dy, dx_over_x, dx_stopped, no_dx } AliasOfDx;

/* FLOPs or bytes of one replica's forward and backward pass. */
typedef struct {
    double forward, backward;
} OpCost;

typedef struct Call Call;
typedef struct Rounded Rounded; /* kernels/rounding.h */

typedef struct {
    const char *name, *formula;
    InputKind input[OP_MAX_IN];
    /* Compute the shapes of y and save (0 x 0: none) from the inputs'. Return NULL, or what is wrong. */
    const char *(*shape)(const Shape *in, int count, const Attr *attr, Shape *out, Shape *save);
    /* Make valid inputs near rows x cols for a test, with matching attributes. */
    void (*example)(int rows, int cols, Shape *in, Attr *attr);
    AliasOfY y;
    AliasOfDx dx;
    OpCost (*flops)(const Shape *in, Shape out, const Attr *attr);
    OpCost (*bytes)(const Call *c, size_t word); /* `word`: bytes a number; accumulated gradients are also read */
} OpInfo;

extern const OpInfo op_info[OP_COUNT];

/* Return true for an input of int32 ids. */
bool input_is_ids(OpKind kind, int input);

/* Return true for an op without a gradient: backward is never called. */
bool op_is_probe(OpKind kind);

/* Return true for an op whose output is a loss or a measure: one number per row, or one for all rows. */
bool op_measures(OpKind kind);

/* Return true for an input, or (input -1) an output, that 16-bit precisions store in 16 bits; false for ids, the loss
 * and measures. Parameters' gradients and what ops save are floats. */
bool op_stored(OpKind kind, int input);

/* Return true if backward may write the gradient of input 0 over the output's gradient (din[0].at == dout.at). */
bool op_in_place(OpKind kind);

/* Return true if the formula has a stop-gradient: input 0's gradient is the output's, not the derivative. */
bool op_stops(OpKind kind);

/* Return true if backward may write the gradient of input 0 over that input (din[0].at == in[0].at). */
bool op_over_self(OpKind kind);

/* Return the input over which forward may write the output (out.at == in[i].at); -1: none. */
int op_over(OpKind kind);

/* Return the number of inputs that an op must have, and may have. */
int op_least_inputs(OpKind kind);
int op_most_inputs(OpKind kind);

typedef struct {
    void *at;      /* replica 0; NULL: absent, or no gradient wanted */
    size_t stride; /* bytes between replicas, 0 = shared */
    int rows, cols;
} View;

/* One op of a list, resolved to memory. */
struct Call {
    OpKind kind;
    int in_count, replicas;
    Attr attr;
    View in[OP_MAX_IN], din[OP_MAX_IN]; /* inputs and their gradients */
    bool accumulate[OP_MAX_IN];         /* backward adds into din[i]; otherwise it writes it */
    bool continues; /* linear without bias, at most CANON_BLOCK rows: sums of din[1] go on from its value */
    View out, dout, save;
    /* Counters of replica 0 for `out` and each din, on a device that stores 16 bits (NULL: do not count), and the
     * stride between replicas, in Rounded. */
    Rounded *count_out, *count_din[OP_MAX_IN];
    size_t count_stride;
    const Scalars *scalars; /* [replicas] */
    void *scratch;          /* Kernel.scratch bytes, contents undefined at entry */
    int part, parts;        /* several threads share this call; parts 0 or 1: one does it all */
    void *queue;            /* a device's queue; NULL: run in the caller's thread, at once */
};

/* Share of a thread in n independent outputs (rows, columns, heads): from .. to - 1. Outputs are whole, so the bits do
 * not depend on the number of parts. A kernel whose backward may run in place gives a part the same rows of every
 * input. */
typedef struct {
    ptrdiff_t from, to; /* fits into int for rows and columns, not always for numbers */
} Share;

static inline Share share_of(int part, int parts, ptrdiff_t n) {
    Share s = {0, n};
    if (parts > 1) s.from = n * part / parts, s.to = n * (part + 1) / parts;
    return s;
}

static inline Share call_share(const Call *c, ptrdiff_t n) {
    return share_of(c->part, c->parts, n);
}

/* Return how many numbers a View has in one replica. */
static inline ptrdiff_t view_words(View v) {
    return (ptrdiff_t)v.rows * v.cols;
}

typedef struct {
    void (*forward)(const Call *c);
    void (*backward)(const Call *c);  /* never called for probes; NULL in the CPU's rows */
    size_t (*scratch)(const Call *c); /* bytes forward or backward may use; NULL = none */
    /* Run this op and the next one of the forward or backward pass in one launch (devices only), with the results of
     * two. false: these two cannot be fused and nothing was enqueued; NULL: no op can. */
    bool (*fused)(const Call *first, const Call *second, bool backward);
} Kernel;

#endif
