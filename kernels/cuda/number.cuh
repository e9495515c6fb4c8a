/* The gradient of input 1 where that is one learned number or one learned row (gate, shift): which stages a Call has. A
 * number's is a sum per row, in scratch, then one chain over the rows. */
#ifndef KERNELS_CUDA_NUMBER_CUH
#define KERNELS_CUDA_NUMBER_CUH

#include "kernels/cuda/chain.cuh"
#include "kernels/cuda/columns.cuh"

KERNEL_FN(number, THREADS, Call, c) {
    int r = (int)blockIdx.z;
    float total = chain_sum((const float *)c.scratch + (size_t)r * c.out.rows, c.out.rows);
    if (threadIdx.x == 0) put(at(c.din[1], r), total, c.accumulate[1]);
}

/* One column on activations of one column is a row. */
static bool is_number(const Call *c) {
    return c->in[1].cols == 1 && c->out.cols > 1;
}

static Grid each_column(const Call *c) {
    return c->din[1].at && !is_number(c) ? grid_of_columns(c, (size_t)c->in[1].cols) : no_grid();
}

static Grid each_row(const Call *c) {
    return c->din[1].at && is_number(c) ? grid_of_rows(c, (size_t)c->out.rows) : no_grid();
}

static Grid one_block(const Call *c) {
    return c->din[1].at && is_number(c) ? grid_of(c, 1) : no_grid();
}

static size_t scratch(const Call *c) {
    return (size_t)c->replicas * (size_t)c->out.rows * sizeof(float);
}

static double scratch_bytes(const Call *c) {
    return 4.0 * c->out.rows;
}

#endif
