/* The gain's gradient of norms that save 1/rms in the second column of each pair (rmsnorm, crms):
 * dg = sum of dy x / rms over lines. */
#ifndef KERNELS_CUDA_RMS_GAIN_CUH
#define KERNELS_CUDA_RMS_GAIN_CUH

#include "kernels/cuda/columns.cuh"
#include "kernels/cuda/lines.cuh"

struct GainFactors {
    const float *x, *dy, *save;
    int n;
    DEVICE_METHOD Factors operator()(int row, int column) const {
        size_t e = (size_t)row * n + column;
        Factors f = {dy[e], x[e] * save[2 * (size_t)row + 1]};
        return f;
    }
};

KERNEL_FN(gain, THREADS, Call, c) {
    int r = (int)blockIdx.z, n = width_of(c), i = column_here();
    const GainFactors of = {at(c.in[0], r), at(c.dout, r), at(c.save, r), n};
    float total = column_chain(lines_of(c), CANON_BLOCK, i, n, of);
    if (threadIdx.x < WARP && i < n) put(&at(c.din[1], r)[i], total, c.accumulate[1]);
}

static Grid each_column(const Call *c) {
    return c->din[1].at ? grid_of_columns(c, (size_t)width_of(*c)) : no_grid();
}

#endif
