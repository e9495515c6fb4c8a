/* The stages of every op, in ops.def's order. */
#include "kernels/cuda/device.cuh"

#define OP(name, inputs, rule, formula) extern "C" const Stages SYMBOL(name);
#include "kernels/ops.def"
#undef OP

extern "C" const Stages *const SYMBOL(stages)[OP_COUNT];
extern "C" const Stages *const SYMBOL(stages)[OP_COUNT] = {
#define OP(name, inputs, rule, formula) &SYMBOL(name),
#include "kernels/ops.def"
#undef OP
};
