/* Training step around forward and backward, for devices: the work of models/trainer.c on the host, as kernels that
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

/* A tensor, or some of its rows, that is reduced to one number. */
typedef struct {
    size_t at;             /* first word in a replica's arena */
    int rows, cols, first; /* first: index of its first row among all StepRows; unused by PART_MASSIVE */
    Role role;             /* arena: ACT, DACT, PARAM or GRAD */
    PartKind kind;
    bool thin;   /* reduced only at steps that `every` divides */
    bool narrow; /* stored in 16 bits */
} StepPart;

typedef struct {
    int part, row;
} StepRow;

/* One measured number: made of parts first .. first + count - 1, or read from the activation arena. */
typedef struct {
    int first, count;
    double elements; /* total of those parts */
    Reduction reduction;
    Role role;
    bool after;  /* measured after the update */
    bool absent; /* the model has no such place: the value is NaN */
    size_t word; /* index of the number, for REDUCE_word */
} StepProbe;

/* Token ids that a step reads, [rows][1]; shift: which token of a crop from the corpus a row takes (base/feeds.def). */
typedef struct {
    View ids;
    int shift;
} StepFeed;
enum { STEP_FEEDS_MAX = 8 };

/* Parameters that one block updates. */
enum { STEP_CHUNK = 1024 };
typedef struct {
    size_t at;
    int count;
    bool decay;
} Chunk;

/* Rows or columns of a parameter, `first` and the next ones, that one block brings to length 1. */
enum { STEP_LINES = 32 };
typedef struct {
    size_t at; /* index of the parameter's first number */
    int rows, cols, first;
    UnitKind unit;
} StepLines;

/* Location of a tensor, for the search for numbers that are not finite. */
typedef struct {
    size_t at, count;
    int tensor; /* index in the tape */
    bool act, narrow; /* narrow: stored in 16 bits */
} Extent;

/* Columns of a ring row (doubles); one column for each probe follows. */
typedef enum {
    RING_loss,
    RING_grad_norm,
    RING_finite,  /* 0: nothing was updated */
    RING_skipped, /* 1: nothing was updated, because the loss scale was too large */
    RING_culprit, /* tape index of the tensor that is not finite, or -1 */
    RING_culprit_act,
    RING_HEAD
} RingWord;

typedef struct {
    int replicas;
    OptimizerKind optimizer;
    View param, grad, moment1, moment2, act, dact; /* arenas */
    StepFeed feed[STEP_FEEDS_MAX];
    int feeds, targets; /* targets: the feed whose ids below 0 are not counted */
    size_t loss, dloss; /* indices in the activation arena and in dact */

    /* Parts gradient .. gradient + parameters - 1 are the parameters' gradients. All parts up to their end are computed
     * before the update; if `after`, those from `gradient` on again after it, when they hold the updates. */
    const StepPart *part; /* [parts] */
    const StepRow *row;   /* [rows]; rows gradient_row .. gradient_end - 1 are the gradients' */
    int parts, gradient, parameters, rows, gradient_row, gradient_end;
    bool after;
    int every;
    float *row_value, *value; /* [replicas][rows], [replicas][parts] */
    const StepProbe *probe;   /* [probes]; the first `whole` measure the whole model */
    int probes, whole;

    const Chunk *chunk;     /* [chunks] */
    const StepLines *lines; /* [units] */
    const Extent *place;    /* [places] */
    int chunks, units, places;

    const Scalars *table;  /* [steps][replicas]; the device computes count and grad_scale */
    Scalars *scalars;      /* [replicas] this step's row of `table` */
    const double *clip;    /* [replicas]; 0 = off */
    int32_t *alive, *died; /* [replicas]; died: 1: activations, 2: gradients not finite in this step; else 0 */
    int32_t *culprit;      /* [replicas] index into place */
    LossScale *scale;      /* [replicas]; NULL: no loss scaling */
    int32_t *skipped;      /* [replicas]; 1: no update in this step; NULL if scale is */
    uint64_t *step;        /* index of the next update, 0-based */
    double *ring;          /* [ring_rows][replicas][RING_HEAD + probes] */
    int ring_rows;

    const int32_t *corpus; /* NULL: the host brings batches */
    uint32_t choices;      /* number of first tokens that a crop may have */
    uint64_t stream;       /* Philox subsequence of batches */
    int context;
} Step;

static inline int ring_words(const Step *s) {
    return RING_HEAD + s->probes;
}

#endif
