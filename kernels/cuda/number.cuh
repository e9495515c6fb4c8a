/* Stages of the gradient of input 1 for gate, shift and damp, whose input 1 is a learned row, or learned numbers for a
 * group of columns each. A number's gradient is a sum per row, in scratch, then one chain over the rows. */
#ifndef KERNELS_CUDA_NUMBER_CUH
#define KERNELS_CUDA_NUMBER_CUH

#include "kernels/cuda/chain.cuh"
#include "kernels/cuda/columns.cuh"

/* Return how many columns a number serves; 1 for a learned row. */
static inline __host__ __device__ int group_of(const Call &c) {
    return c.out.cols / c.in[1].cols;
}

/* Return the address of a line's sum: it is for number line % numbers, in row line / numbers. */
DEVICE_FN float *summand(const Call &c, int r, int line) {
    const int n = c.in[1].cols;
    return (float *)c.scratch + ((size_t)r * n + line % n) * c.out.rows + line / n;
}

KERNEL_FN(number, THREADS, Call, c) {
    int r = (int)blockIdx.z, i = (int)blockIdx.x;
    float total = chain_sum(summand(c, r, i), c.out.rows);
    if (threadIdx.x == 0) put(at(c.din[1], r) + i, total, c.accumulate[1]);
}

/* Return true for learned numbers; one column on activations of one column is a row. */
static inline bool has_numbers(const Call *c) {
    return c->din[1].at && group_of(*c) > 1;
}

static inline Grid each_column(const Call *c) {
    return c->din[1].at && !has_numbers(c) ? grid_of_columns(c, (size_t)c->in[1].cols) : no_grid();
}

static inline size_t lines_of(const Call *c) {
    return (size_t)c->out.rows * (size_t)c->in[1].cols;
}

static inline Grid each_line(const Call *c) {
    return has_numbers(c) ? grid_of_rows(c, lines_of(c)) : no_grid();
}

/* Launch a block for each number. */
static inline Grid each_number(const Call *c) {
    Grid g = {(unsigned)c->in[1].cols, 1, (unsigned)c->replicas, THREADS, 0};
    return has_numbers(c) ? g : no_grid();
}

/* Return the bytes of scratch; gradients are not bound yet when this is called. */
static size_t scratch(const Call *c) {
    bool row = c->in[1].cols > 1 && group_of(*c) == 1;
    return row ? 0 : (size_t)c->replicas * lines_of(c) * sizeof(float);
}

static double scratch_bytes(const Call *c) {
    return 4.0 * (double)lines_of(c);
}

#endif
