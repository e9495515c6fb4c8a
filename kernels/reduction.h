/* How one number is made of tensors: rows of kernels/reductions.def. Shared by C and CUDA. */
#ifndef KERNELS_REDUCTION_H
#define KERNELS_REDUCTION_H

typedef enum {
#define REDUCTION(name, help) REDUCE_##name,
#include "kernels/reductions.def"
#undef REDUCTION
    REDUCTION_COUNT
} Reduction;

#endif
