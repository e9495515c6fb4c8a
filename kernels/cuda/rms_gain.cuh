/* Gradient of the gain for norms that save 1/rms in the second column of each pair (rmsnorm, crms):
 * dg = sum of dy x / rms over lines. */
#ifndef KERNELS_CUDA_RMS_GAIN_CUH
#define KERNELS_CUDA_RMS_GAIN_CUH

#include "kernels/cuda/norm_back.cuh"

struct GainFactors {
    const Number *x, *dy;
    const float *save;
    int n;
    DEVICE_METHOD Factors operator()(int row, int column) const {
        size_t e = (size_t)row * n + column;
        Factors f = {dy[e], x[e] * save[2 * (size_t)row + 1]};
        return f;
    }
};

static inline __host__ __device__ int gain_columns(const Call &c) {
    return c.din[1].at ? width_of(c) : 0;
}

DEVICE_FN void gains(const Call &c, float *near, int r, int column) {
    const int n = width_of(c);
    const GainFactors of = {in_of(c, 0, r), dout_of(c, r), at(c.save, r), n};
    float total = column_chain_in<SHORT_ROWS>(near, lines_of(c), CANON_BLOCK, column, n, of);
    if (threadIdx.x < WARP && column < n) put(at(c.din[1], r) + column, total, c.accumulate[1]);
}

#endif
