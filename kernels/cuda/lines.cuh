/* Ops on lines: a line is a row, or one of a row's groups of columns. A warp takes a line. */
#ifndef KERNELS_CUDA_LINES_CUH
#define KERNELS_CUDA_LINES_CUH

#include "kernels/cuda/device.cuh"

static inline __host__ __device__ int width_of(const Call &c) {
    return c.attr.group ? c.attr.group : c.in[0].cols;
}

static inline __host__ __device__ int lines_of(const Call &c) {
    return c.in[0].rows * (c.in[0].cols / width_of(c));
}

static inline Grid each_line(const Call *c) {
    return grid_of_rows(c, (size_t)lines_of(*c));
}

/* Launch a warp for each line in backward, unless the gradient of input 0 is not wanted. */
static inline Grid each_line_back(const Call *c) {
    return c->din[0].at ? each_line(c) : no_grid();
}

#endif
