/* The stages of every op, in ops.def's order, of fast precisions, and of every fusion, in fusions.def's. */
#include "kernels/cuda/device.cuh"
#include "kernels/cuda/step_launch.h"

#define OP(name, ...) extern "C" const Stages SYMBOL(name);
#include "kernels/ops.def"
#undef OP

extern "C" const Stages *const SYMBOL(stages)[OP_COUNT];
extern "C" const Stages *const SYMBOL(stages)[OP_COUNT] = {
#define OP(name, ...) &SYMBOL(name),
#include "kernels/ops.def"
#undef OP
};

extern "C" const Stages SYMBOL(linear_bias), SYMBOL(attention_tf32), SYMBOL(attention_bf16), SYMBOL(attention_fp16);
extern "C" const Stages *const SYMBOL(fast_stages)[FAST_STAGES];
extern "C" const Stages *const SYMBOL(fast_stages)[FAST_STAGES] = {&SYMBOL(linear_bias), &SYMBOL(attention_tf32),
                                                                   &SYMBOL(attention_bf16), &SYMBOL(attention_fp16)};

#define FUSION(first, second, pass) extern "C" const Fusion SYMBOL(first##_##second##_##pass);
#include "kernels/cuda/fusions.def"
#undef FUSION

extern "C" const Fusion *const SYMBOL(fusions)[FUSIONS];
extern "C" const Fusion *const SYMBOL(fusions)[FUSIONS] = {
#define FUSION(first, second, pass) &SYMBOL(first##_##second##_##pass),
#include "kernels/cuda/fusions.def"
#undef FUSION
};
