/* Groups of columns (residual streams). */
#ifndef KERNELS_CUDA_GROUPS_CUH
#define KERNELS_CUDA_GROUPS_CUH

#include "kernels/cuda/device.cuh"

typedef struct {
    int d, n, m; /* columns of a group, groups of in[0], groups of out */
} Groups;

static inline __host__ __device__ Groups groups_of(const Call &c) {
    int d = c.attr.group ? c.attr.group : c.in[0].cols;
    Groups g = {d, c.in[0].cols / d, c.out.cols / d};
    return g;
}

#endif
