/* Backward of a norm with gains in one launch: blocks with 32 columns of the gains come first, since they have the
 * longest chains, then blocks with a line to a warp. The gradient of the input stands apart from what the gains read.
 * A file that includes this defines gain_columns(c), gains(c, near, r, column) and input_line(c, r, line). */
#ifndef KERNELS_CUDA_NORM_BACK_CUH
#define KERNELS_CUDA_NORM_BACK_CUH

#include "kernels/cuda/columns.cuh"
#include "kernels/cuda/lines.cuh"

/* Return the number of columns of gains whose gradients are wanted. */
static inline __host__ __device__ int gain_columns(const Call &c);
/* Compute one of them by all threads of a block; near: column_words(SHORT_ROWS) of shared memory. */
DEVICE_FN void gains(const Call &c, float *near, int r, int column);
DEVICE_FN void input_line(const Call &c, int r, int line);

static inline __host__ __device__ int gain_blocks(const Call &c) {
    return (gain_columns(c) + WARP - 1) / WARP;
}

static inline __host__ __device__ int line_blocks(const Call &c) {
    return c.din[0].at ? (lines_of(c) + WARPS - 1) / WARPS : 0;
}

/* Run the gains' blocks of all replicas, then the lines' blocks. */
KERNEL_FN(backward, THREADS, Call, c) {
    SHARED(float, near, [column_words(SHORT_ROWS)]);
    const int of_gains = gain_blocks(c), of_lines = line_blocks(c), block = (int)blockIdx.x;
    if (block < of_gains * c.replicas) {
        gains(c, near, block / of_gains, block % of_gains * WARP + lane_id());
        return;
    }
    const int left = block - of_gains * c.replicas, line = left % of_lines * WARPS + (int)threadIdx.x / WARP;
    if (line < lines_of(c)) input_line(c, left / of_lines, line);
}

static Grid each_gradient(const Call *c) {
    Grid g = {(unsigned)(gain_blocks(*c) + line_blocks(*c)) * (unsigned)c->replicas, 1, 1, THREADS, 0};
    return g;
}

#define NORM_BACKWARD(name) \
    { \
        name, BODY(backward, Call), each_gradient, NULL, \
            TOUCH_in0 | TOUCH_dout | TOUCH_save | TOUCH_din0 | TOUCH_din1 | TOUCH_din2, NULL, false \
    }

#endif
