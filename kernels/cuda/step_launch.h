/* Launches of the kernels of a training step, of rounding and of partial sums; launch.h has those of ops. Shared by C
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
    double (*bytes)(const Step *s); /* for one replica; NULL: next to nothing */
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

/* Stages of attention in a fast precision: the exact ones, or those of the tensor cores with factors of a type
 * (attention_mma.cuh), which leave heads that are too wide to the exact ones. */
typedef enum { ATTENTION_exact, ATTENTION_tf32, ATTENTION_bf16, ATTENTION_fp16, ATTENTIONS } AttentionKind;

/* Exports of one build of the kernels to C; a build stores tensors in one type (words.cuh). */
typedef struct {
    Word word;
    const Stages *const *stages; /* [OP_COUNT] */
    /* Stages of `linear` with a library's products (product.h): the bias if the library leaves it, and what follows. */
    const Stages *linear_bias, *linear_after;
    const Stages *gelu_fast;   /* for precisions whose attention is not exact */
    const Fusion *linear_gelu; /* [2], by Fusion.backward: linear_after and a gelu in one launch; NULL: none */
    const Stages *attention[ATTENTIONS]; /* NULL: no fast precision of this type has it */
    const Fusion *const *fusions;        /* [FUSIONS] */
    const StepLaunch *steps;             /* [STEP_COUNT] */
    const RoundLaunch *round;
    const AddLaunch *add;
} Build;

/* Return stage list i of 0 .. ALL_STAGES - 1, the ops' first; NULL: not in this build. */
enum { ALL_STAGES = OP_COUNT + 3 + ATTENTIONS };
static inline const Stages *build_stages(const Build *b, int i) {
    if (i < OP_COUNT) return b->stages[i];
    const Stages *more[] = {b->linear_bias, b->linear_after, b->gelu_fast};
    return i < OP_COUNT + 3 ? more[i - OP_COUNT] : b->attention[i - OP_COUNT - 3];
}

/* Return fusion i of 0 .. ALL_FUSIONS - 1; NULL: not in this build. */
enum { ALL_FUSIONS = FUSIONS + 2 };
static inline const Fusion *build_fusion(const Build *b, int i) {
    if (i < FUSIONS) return b->fusions[i];
    return b->linear_gelu ? &b->linear_gelu[i - FUSIONS] : NULL;
}

/* Declare the builds for devices (cuda) or for the shim (simt). */
#define KERNEL_BUILDS(kind) extern const Build kind##_build, kind##_fp16_build, kind##_bf16_build

#endif
