/* Recipe: optimizer, schedule and initialization of a training. It becomes a replica's scalars, step by step. */
#ifndef MODELS_RECIPE_H
#define MODELS_RECIPE_H

#include "kernels/optimizer.h"

typedef enum {
#define SCHEDULE(name, ...) SCHEDULE_##name,
#include "models/schedule.def"
#undef SCHEDULE
    SCHEDULE_COUNT
} ScheduleKind;

/* Initial standard deviations; residual scales the two projections back into the stream (GPT-2: 1/sqrt(2L)). */
typedef struct {
    double token, position, matrix, residual;
} InitStd;

typedef struct {
    OptimizerKind optimizer;
    ScheduleKind schedule;
    int steps, warmup;              /* updates; of them warm-up updates */
    double lr, warmup_lr, final_lr; /* peak; start of the warm-up; end of decays */
    double beta1, beta2, eps, momentum, weight_decay;
    double clip;      /* largest global gradient norm, 0 = no clipping */
    double dropout;   /* probability, 0 = off */
    double smoothing; /* of the labels in the training loss (kernels/ops.def, xent) */
    /* Philox keys of only these draws; 0: the run's seed */
    uint64_t init_seed, order_seed, dropout_seed;
    InitStd init;
} Recipe;

/* Return the learning rate of update `step` (0-based). */
double recipe_lr(const Recipe *r, int step);

/* Return the progress of update `step`: step / (steps - 1) within [0, 1]; 0 for a single step. After update t the model
 * is evaluated at t's progress. */
double recipe_progress(const Recipe *r, int step);

/* Return the key of a run's draws: the fixed one, or its own seed. */
uint64_t recipe_seed(uint64_t fixed, uint64_t own);

/* Compute the scalars of update `step` for a run with this seed and `count` targets in its batch. power1/power2 are
 * beta^(step+1), kept by the caller as running products so that no pow() is needed. grad_scale is 1. */
void recipe_scalars(const Recipe *r, Scalars *s, uint64_t seed, int step, double count, double power1, double power2);

#endif
