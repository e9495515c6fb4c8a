/* The kernels of a training step, of rounding and of partial sums, as launches: what launch.h is for ops. Shared by C
 * and CUDA. */
#ifndef KERNELS_CUDA_STEP_LAUNCH_H
#define KERNELS_CUDA_STEP_LAUNCH_H

#include "kernels/addition.h"
#include "kernels/cuda/launch.h"
#include "kernels/rounding.h"
#include "kernels/step.h"

typedef struct {
    const char *name;
    const void *body; /* takes one Step by value */
    Grid (*grid)(const Step *s);
    double (*bytes)(const Step *s); /* of one replica; NULL: next to nothing */
    bool flat;
} StepLaunch;

typedef struct {
    const char *name;
    const void *body; /* takes one Rounding by value */
    Grid (*grid)(const Rounding *c);
} RoundLaunch;

typedef struct {
    const char *name;
    const void *body; /* takes one Addition by value */
    Grid (*grid)(const Addition *a);
} AddLaunch;

/* What a build of the kernels exports to C: cuda or simt. Last, the part of `linear` beside a library's products
 * (product.h). */
#define KERNEL_TABLES(build) \
    extern const Stages *const build##_stages[OP_COUNT]; \
    extern const Fusion *const build##_fusions[FUSIONS]; \
    extern const StepLaunch build##_steps[STEP_COUNT]; \
    extern const RoundLaunch build##_round; \
    extern const AddLaunch build##_add; \
    extern const Stages build##_linear_bias

#endif
