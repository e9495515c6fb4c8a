/* Reductions of tensors to one number: rows of kernels/reductions.def. Shared by C and CUDA. */
#ifndef KERNELS_REDUCTION_H
#define KERNELS_REDUCTION_H

typedef enum {
#define REDUCTION(name, help) REDUCE_##name,
#include "kernels/reductions.def"
#undef REDUCTION
    REDUCTION_COUNT
} Reduction;

/* The number that a reduction takes from each tensor. MASSIVE counts magnitudes above MASSIVE_SIZE and above
 * MASSIVE_TIMES the median magnitude (rank (n - 1) / 2 of n, from 0). A NaN counts, and ranks as the largest. */
typedef enum { PART_SQUARES, PART_SUM, PART_LARGEST, PART_MASSIVE } PartKind;
#define MASSIVE_SIZE 100.0
#define MASSIVE_TIMES 1000.0

#endif
