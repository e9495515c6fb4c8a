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
    /* Of `linear`, beside a library's products (product.h): the bias where they leave it, and what follows them. */
    const Stages *linear_bias, *linear_after;
    const Stages *gelu_fast;   /* of precisions whose attention is not exact */
    const Fusion *linear_gelu; /* [2], by Fusion.backward: what follows them and a gelu in one launch; NULL: nothing */
    const Stages *attention[ATTENTIONS]; /* NULL: of no fast precision of these words */
    const Fusion *const *fusions;        /* [FUSIONS] */
    const StepLaunch *steps;             /* [STEP_COUNT] */
    const RoundLaunch *round;
    const AddLaunch *add;
} Build;

/* Every list of stages, those of the ops first: build_stages of 0 .. ALL_STAGES - 1; NULL: not in this build. */
enum { ALL_STAGES = OP_COUNT + 3 + ATTENTIONS };
static inline const Stages *build_stages(const Build *b, int i) {
    if (i < OP_COUNT) return b->stages[i];
    const Stages *more[] = {b->linear_bias, b->linear_after, b->gelu_fast};
    return i < OP_COUNT + 3 ? more[i - OP_COUNT] : b->attention[i - OP_COUNT - 3];
}

/* Every fusion, in the same way. */
enum { ALL_FUSIONS = FUSIONS + 2 };
static inline const Fusion *build_fusion(const Build *b, int i) {
    if (i < FUSIONS) return b->fusions[i];
    return b->linear_gelu ? &b->linear_gelu[i - FUSIONS] : NULL;
}

/* Those for devices (cuda) or for the shim (simt). */
#define KERNEL_BUILDS(kind) extern const Build kind##_build, kind##_fp16_build, kind##_bf16_build

#endif
