/* A training step around forward and backward, for devices: what models/trainer.c does on the host, as kernels that read
 * and write device memory only, so that one recorded graph serves every step. Shared by C and CUDA. */
#ifndef KERNELS_STEP_H
#define KERNELS_STEP_H

#include "kernels/op.h"
#include "kernels/optimizer.h"

typedef enum {
#define STEP(name, what) STEP_##name,
#include "kernels/steps.def"
#undef STEP
    STEP_COUNT
} StepKind;

/* A tensor whose sum of squares is wanted: a parameter's gradient, or an activation that enters a norm. */
typedef struct {
    size_t at;             /* first word in a replica's arena */
    int rows, cols, first; /* first: its rows' place among all rows */
    int layer;             /* block, or -1 */
    bool act;              /* in the activation arena */
} Squared;

typedef struct {
    int tensor, row;
} SquaredRow;

/* Words of parameters that one block updates. */
enum { STEP_CHUNK = 1024 };
typedef struct {
    size_t at;
    int count;
    bool decay;
} Chunk;

/* Where a tensor stands, for the search of what is not finite. */
typedef struct {
    size_t at, count;
    int tensor; /* in the tape */
    bool act;
} Extent;

/* Of a row of the ring: doubles. Then the gradient norm of each layer, then the norm input of each layer. */
typedef enum {
    RING_loss,
    RING_grad_norm,
    RING_update_norm,
    RING_embedding_norm,
    RING_finite,  /* 0: nothing was updated */
    RING_culprit, /* tensor of the tape, or -1 */
    RING_culprit_act,
    RING_HEAD
} RingWord;

typedef struct {
    int replicas, layers;
    OptimizerKind optimizer;
    View param, grad, moment1, moment2, act, dact, tokens, targets; /* arenas; the last two are tensors [rows][1] */
    size_t loss, embedding_norm;                                    /* words in the activation arena; dloss in dact */
    size_t dloss;

    const Squared *squared; /* [parameters + layers]; a layer without a norm has no rows */
    const SquaredRow *row;  /* [rows]; the first parameter_rows are of gradients */
    const Chunk *chunk;     /* [chunks] */
    const Extent *place;    /* [places] */
    int parameters, rows, parameter_rows, chunks, places;
    float *row_squares, *squares; /* [replicas][rows], [replicas][parameters + layers] */

    const Scalars *table;  /* [steps][replicas]; count and grad_scale are made here */
    Scalars *scalars;      /* [replicas] of this step */
    const double *clip;    /* [replicas]; 0 = off */
    int32_t *alive, *died; /* [replicas]; died: in this step, because of 1 + activations, 2 + gradients; else 0 */
    int32_t *culprit;      /* [replicas] index into place */
    uint64_t *step;        /* the next update, 0-based */
    double *ring;          /* [ring_rows][replicas][RING_HEAD + 2 layers] */
    int ring_rows;

    const int32_t *corpus; /* NULL: the host brings batches */
    uint32_t choices;      /* first tokens a crop may have */
    uint64_t stream;       /* Philox subsequence of batches */
    int context;
} Step;

static inline int ring_words(const Step *s) {
    return RING_HEAD + 2 * s->layers;
}

#endif
