/* A training step around forward and backward, for devices: what models/trainer.c does on the host, as kernels that
 * read and write device memory only, so that one recorded graph serves every step. Shared by C and CUDA. */
#ifndef KERNELS_STEP_H
#define KERNELS_STEP_H

#include "kernels/loss_scale.h"
#include "kernels/op.h"
#include "kernels/optimizer.h"
#include "kernels/reduction.h"

typedef enum {
#define STEP(name, what) STEP_##name,
#include "kernels/steps.def"
#undef STEP
    STEP_COUNT
} StepKind;

/* A tensor, or some of its rows, of which one number is wanted. */
typedef struct {
    size_t at;             /* first word in a replica's arena */
    int rows, cols, first; /* first: its rows' place among all rows; PART_MASSIVE has no rows of its own there */
    Role role;             /* whose arena: ACT, DACT, PARAM or GRAD */
    PartKind kind;
    bool thin;   /* wanted at the steps that `every` divides */
    bool narrow; /* stored in words of 16 bits */
} StepPart;

typedef struct {
    int part, row;
} StepRow;

/* One number that is measured: of parts first .. first + count - 1, or a word of the activation arena. */
typedef struct {
    int first, count;
    double elements; /* of those parts together */
    Reduction reduction;
    Role role;
    bool after;  /* once the update is done */
    bool absent; /* this model has no such place: NaN */
    size_t word; /* REDUCE_word */
} StepProbe;

/* Token ids that a step reads, [rows][1]; shift: which token of a crop from the corpus a row takes (base/feeds.def). */
typedef struct {
    View ids;
    int shift;
} StepFeed;
enum { STEP_MOST_FEEDS = 8 };

/* Words of parameters that one block updates. */
enum { STEP_CHUNK = 1024 };
typedef struct {
    size_t at;
    int count;
    bool decay;
} Chunk;

/* Rows or columns of a parameter, `first` and the next ones, that one block brings to length 1. */
enum { STEP_LINES = 32 };
typedef struct {
    size_t at; /* of the parameter */
    int rows, cols, first;
    UnitKind unit;
} StepLines;

/* Where a tensor stands, for the search of what is not finite. */
typedef struct {
    size_t at, count;
    int tensor; /* in the tape */
    bool act, narrow; /* narrow: stored in words of 16 bits */
} Extent;

/* Of a row of the ring: doubles. Then one for each probe. */
typedef enum {
    RING_loss,
    RING_grad_norm,
    RING_finite,  /* 0: nothing was updated */
    RING_skipped, /* 1: nothing was updated, the scale of the loss was too large */
    RING_culprit, /* tensor of the tape, or -1 */
    RING_culprit_act,
    RING_HEAD
} RingWord;

typedef struct {
    int replicas;
    OptimizerKind optimizer;
    View param, grad, moment1, moment2, act, dact; /* arenas */
    StepFeed feed[STEP_MOST_FEEDS];
    int feeds, targets; /* targets: the feed whose ids below 0 are not counted */
    size_t loss, dloss; /* words in the activation arena and in dact */

    /* Parts gradient .. gradient + parameters - 1 are the parameters' gradients. Up to their end all are computed
     * before the update; from their first on, if `after`, once more after it, when they hold the updates. */
    const StepPart *part; /* [parts] */
    const StepRow *row;   /* [rows]; rows gradient_row .. gradient_end - 1 are the gradients' */
    int parts, gradient, parameters, rows, gradient_row, gradient_end;
    bool after;
    int every;
    float *row_value, *value; /* [replicas][rows], [replicas][parts] */
    const StepProbe *probe;   /* [probes]; the first `whole` are of the whole model */
    int probes, whole;

    const Chunk *chunk;     /* [chunks] */
    const StepLines *lines; /* [units] */
    const Extent *place;    /* [places] */
    int chunks, units, places;

    const Scalars *table;  /* [steps][replicas]; count and grad_scale are made here */
    Scalars *scalars;      /* [replicas] of this step */
    const double *clip;    /* [replicas]; 0 = off */
    int32_t *alive, *died; /* [replicas]; died: in this step, because of 1 + activations, 2 + gradients; else 0 */
    int32_t *culprit;      /* [replicas] index into place */
    LossScale *scale;      /* [replicas]; NULL: the loss is not scaled */
    int32_t *skipped;      /* [replicas] nothing is updated in this step; NULL as scale */
    uint64_t *step;        /* the next update, 0-based */
    double *ring;          /* [ring_rows][replicas][RING_HEAD + probes] */
    int ring_rows;

    const int32_t *corpus; /* NULL: the host brings batches */
    uint32_t choices;      /* first tokens a crop may have */
    uint64_t stream;       /* Philox subsequence of batches */
    int context;
} Step;

static inline int ring_words(const Step *s) {
    return RING_HEAD + s->probes;
}

#endif
