/* Values that a sweep varies or a step changes: one row per replica, in device memory, read by kernels and not stored
 * in an op. So one program trains many seeds and learning rates, and one captured graph serves every step. */
#ifndef KERNELS_SCALARS_H
#define KERNELS_SCALARS_H

#include <stdint.h>

#include "base/canon.h"

typedef struct {
    uint64_t seed;       /* Philox key of dropout */
    uint64_t order_seed; /* Philox key of the batches that a device draws */
    uint64_t step;       /* training step, 0-based: Philox offset of dropout */
    double progress;     /* position in the schedule: 0 at the first step, 1 at the last (models/recipe.h) */
    uint32_t pass;       /* index of this micro-batch in the batch: dropout counts elements over all of them */
    double count;        /* targets in the batch; the mean divides by it */
    uint32_t drop_below; /* dropout drops where a Philox word is below; 0 = off (p = 0, or evaluation) */
    double drop_scale;   /* 1 / (1 - p) */
    double smoothing;    /* label smoothing: share of the target that is spread evenly over the vocabulary */
    double lr, weight_decay, beta1, beta2, eps, momentum;
    double correction1, correction2; /* 1 - beta^t of the optimizer's two averages, t = 1 at the first step */
    double rectify;                  /* RAdam's variance rectification; 0 while it is undefined (then plain momentum) */
    double grad_scale;               /* clipping: gradients are multiplied by it before the update */
    uint32_t stopped;                /* 1: the replica diverged and is counted no more (kernels/rounding.h) */
    double loss_scale;               /* the loss's gradient with respect to itself (kernels/loss_scale.h); 0: 1 */
} Scalars;

/* Interpolate linearly over the steps: `first` at the first step, `last` at the last. */
CANON_FN double scalars_between(const Scalars *s, double first, double last) {
    return first + (last - first) * s->progress;
}

#endif
