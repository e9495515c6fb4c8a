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

/* What fast precisions launch beside the stages of the ops: the part of `linear` beside a library's products
 * (product.h), and attention by tensor cores for each word of factors. */
enum { FAST_STAGES = 4 };

/* What a build of the kernels exports to C: cuda or simt. */
#define KERNEL_TABLES(build) \
    extern const Stages *const build##_stages[OP_COUNT]; \
    extern const Fusion *const build##_fusions[FUSIONS]; \
    extern const StepLaunch build##_steps[STEP_COUNT]; \
    extern const RoundLaunch build##_round; \
    extern const AddLaunch build##_add; \
    extern const Stages *const build##_fast_stages[FAST_STAGES]; \
    extern const Stages build##_linear_bias, build##_attention, build##_attention_tf32, build##_attention_bf16, \
        build##_attention_fp16

/* Those of an op, then those of fast precisions. */
#define ALL_STAGES (OP_COUNT + FAST_STAGES)
#define STAGES_AT(build, i) ((i) < OP_COUNT ? build##_stages[i] : build##_fast_stages[(i) - OP_COUNT])

#endif
