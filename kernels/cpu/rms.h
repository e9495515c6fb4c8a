/* One line of RMS normalization, shared by rmsnorm (whole rows) and qkrms (head slices of q and k).
 *   h = x / sqrt(mean(x^2) + eps),  y = g h
 *   dx = (dh - h mean(dh h)) / rms with dh = dy g;  dg = sum of dy h over lines */
#ifndef KERNELS_CPU_RMS_H
#define KERNELS_CPU_RMS_H

#include "kernels/cpu/real.h"

/* Returns 1/rms for backward. */
static inline real rms_forward(real *restrict y, const real *restrict x, const real *restrict g, int n, real eps) {
    real inverse = 1 / r_sqrt(row_dot(x, x, n) / (real)n + eps);
    for (int i = 0; i < n; i++) y[i] = x[i] * inverse * g[i];
    return inverse;
}

static inline void rms_backward(real *restrict dx, const real *restrict dy, const real *restrict x,
                                const real *restrict g, real inverse, int n, bool accumulate) {
    real dot;
    ROW_REDUCE(n, dot, lane[j] = r_fma(dy[i] * g[i], x[i] * inverse, lane[j]));
    dot /= (real)n;
    for (int i = 0; i < n; i++) put(&dx[i], r_fma(-(x[i] * inverse), dot, dy[i] * g[i]) * inverse, accumulate);
}

static inline void rms_gain(real *restrict sum, const real *restrict dy, const real *restrict x, real inverse, int n) {
    for (int i = 0; i < n; i++) sum[i] = r_fma(dy[i], x[i] * inverse, sum[i]);
}

#endif
