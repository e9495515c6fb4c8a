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

/* Whose stages attention has in a fast precision: its own, exact ones, or those of the tensor cores for factors of a
 * word (attention_mma.cuh), which leave heads too wide for them to the exact ones. */
typedef enum { ATTENTION_exact, ATTENTION_tf32, ATTENTION_bf16, ATTENTION_fp16, ATTENTIONS } AttentionKind;

/* What a build of the kernels exports to C, for the words that tensors are stored in there (words.cuh). */
typedef struct {
    Word word;
    const Stages *const *stages; /* [OP_COUNT] */
    /* Of `linear`, beside a library's products (product.h): what they leave of the bias, and how they become words of
     * 16 bits. */
    const Stages *linear_bias, *linear_place;
    const Stages *attention[ATTENTIONS]; /* NULL: of no fast precision of these words */
    const Fusion *const *fusions; /* [FUSIONS] */
    const StepLaunch *steps;      /* [STEP_COUNT] */
    const RoundLaunch *round;
    const AddLaunch *add;
} Build;

/* Every list of stages, those of the ops first: build_stages of 0 .. ALL_STAGES - 1; NULL: not in this build. */
enum { ALL_STAGES = OP_COUNT + 2 + ATTENTIONS };
static inline const Stages *build_stages(const Build *b, int i) {
    if (i < OP_COUNT) return b->stages[i];
    return i == OP_COUNT ? b->linear_bias : i == OP_COUNT + 1 ? b->linear_place : b->attention[i - OP_COUNT - 2];
}

/* Those for devices (cuda) or for the shim (simt). */
#define KERNEL_BUILDS(kind) extern const Build kind##_build, kind##_fp16_build, kind##_bf16_build

#endif
