/* How one number is made of tensors: rows of kernels/reductions.def. Shared by C and CUDA. */
#ifndef KERNELS_REDUCTION_H
#define KERNELS_REDUCTION_H

typedef enum {
#define REDUCTION(name, help) REDUCE_##name,
#include "kernels/reductions.def"
#undef REDUCTION
    REDUCTION_COUNT
} Reduction;

/* The number of one tensor that a reduction starts from. MASSIVE counts what is above MASSIVE_SIZE in magnitude and
 * above MASSIVE_TIMES the median magnitude: that of rank (n - 1) / 2 of n, from 0. A NaN counts, and is the largest of
 * all. */
typedef enum { PART_SQUARES, PART_SUM, PART_LARGEST, PART_MASSIVE } PartKind;
#define MASSIVE_SIZE 100.0
#define MASSIVE_TIMES 1000.0

#endif
