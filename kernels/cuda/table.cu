/* The stages of every op, in ops.def's order. */
#include "kernels/cuda/device.cuh"

#define OP(name, ...) extern "C" const Stages SYMBOL(name);
#include "kernels/ops.def"
#undef OP

extern "C" const Stages *const SYMBOL(stages)[OP_COUNT];
extern "C" const Stages *const SYMBOL(stages)[OP_COUNT] = {
#define OP(name, ...) &SYMBOL(name),
#include "kernels/ops.def"
#undef OP
};
