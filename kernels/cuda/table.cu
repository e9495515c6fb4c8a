/* Exports of this build: the stages of every op, in ops.def's order, and of every fusion, in fusions.def's. */
#include "kernels/cuda/step_launch.h"

#include "kernels/cuda/device.cuh"

#define OP(name, ...) extern "C" const Stages SYMBOL(name);
#include "kernels/ops.def"
#undef OP

static const Stages *const stages[OP_COUNT] = {
#define OP(name, ...) &SYMBOL(name),
#include "kernels/ops.def"
#undef OP
};

#define FUSION(first, second, pass) extern "C" const Fusion SYMBOL(first##_##second##_##pass);
#include "kernels/cuda/fusions.def"
#undef FUSION

static const Fusion *const fusions[FUSIONS] = {
#define FUSION(first, second, pass) &SYMBOL(first##_##second##_##pass),
#include "kernels/cuda/fusions.def"
#undef FUSION
};

extern "C" const Stages SYMBOL(linear_bias), SYMBOL(gelu_fast);
extern "C" const StepLaunch SYMBOL(steps)[STEP_COUNT];
extern "C" const RoundLaunch SYMBOL(round);
extern "C" const AddLaunch SYMBOL(add);

/* Attention for the factors that fast.def pairs with this build's type; stages that follow a product (product.h). */
#if NARROW == IN_fp16
extern "C" const Stages SYMBOL(attention_fp16), SYMBOL(linear_place);
#define LINEAR_AFTER SYMBOL(linear_place)
#define LINEAR_GELU NULL
#define ATTENTION \
    { &SYMBOL(attention), NULL, NULL, &SYMBOL(attention_fp16) }
#elif NARROW == IN_bf16
extern "C" const Stages SYMBOL(attention_bf16), SYMBOL(linear_count);
extern "C" const Fusion SYMBOL(linear_count_gelu)[2];
#define LINEAR_AFTER SYMBOL(linear_count)
#define LINEAR_GELU SYMBOL(linear_count_gelu)
#define ATTENTION \
    { &SYMBOL(attention), NULL, &SYMBOL(attention_bf16), NULL }
#else
extern "C" const Stages SYMBOL(attention_tf32), SYMBOL(attention_bf16);
static const Stages nothing = {};
#define LINEAR_AFTER nothing
#define LINEAR_GELU NULL
#define ATTENTION \
    { &SYMBOL(attention), &SYMBOL(attention_tf32), &SYMBOL(attention_bf16), NULL }
#endif

extern "C" const Build SYMBOL(build);
extern "C" const Build SYMBOL(build) = {STORED_WORD,        stages,      &SYMBOL(linear_bias), &LINEAR_AFTER,
                                        &SYMBOL(gelu_fast), LINEAR_GELU, ATTENTION,            fusions,
                                        SYMBOL(steps),      &SYMBOL(round), &SYMBOL(add)};
