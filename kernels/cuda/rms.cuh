/* One line of RMS normalization by one warp, shared by rmsnorm (whole rows) and qkrms (head slices of q and k).
 *   h = x / sqrt(mean(x^2) + eps),  y = g h
 *   dx = (dh - h mean(dh h)) / rms with dh = dy g;  dg = sum of dy h over lines */
#ifndef KERNELS_CUDA_RMS_CUH
#define KERNELS_CUDA_RMS_CUH

#include "kernels/cuda/device.cuh"

/* Normalize one line; return 1/rms for backward. */
DEVICE_FN float rms_forward(Target y, const Number *x, const Number *g, int n, float eps) {
    float inverse = 1 / CANON_SQRT(row_dot(x, x, n) / (float)n + eps);
    for (int i = lane_id(); i < n; i += WARP) y[i] = x[i] * inverse * g[i];
    return inverse;
}

DEVICE_FN void rms_backward(Target dx, const Number *dy, const Number *x, const Number *g, float inverse, int n,
                            bool accumulate) {
    float dot;
    ROW_REDUCE(n, dot, lane = CANON_FMA(dy[i] * g[i], x[i] * inverse, lane));
    dot /= (float)n;
    for (int i = lane_id(); i < n; i += WARP)
        put(dx + i, CANON_FMA(-(x[i] * inverse), dot, dy[i] * g[i]) * inverse, accumulate);
}

#endif
