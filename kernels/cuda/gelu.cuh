/* y = x/2 (1 + tanh(u)), u = sqrt(2/pi) (x + 0.044715 x^3)
 * dy/dx = (1 + tanh u)/2 + x/2 (1 - tanh^2 u) du/dx */
#ifndef KERNELS_CUDA_GELU_CUH
#define KERNELS_CUDA_GELU_CUH

#include "kernels/cuda/approximate.cuh"

#define ROOT_2_OVER_PI 0.7978845608028654f
#define CUBIC 0.044715f

DEVICE_FN float gelu_inner(float x) {
    return ROOT_2_OVER_PI * CANON_FMA(CUBIC * x * x, x, x);
}

DEVICE_FN float gelu_value(float x) {
    return 0.5f * x * (1 + canon_tanh(gelu_inner(x)));
}

DEVICE_FN float gelu_slope(float x) {
    float t = canon_tanh(gelu_inner(x)), du = ROOT_2_OVER_PI * CANON_FMA(3 * CUBIC * x, x, 1.0f);
    return CANON_FMA(0.5f * x * CANON_FMA(-t, t, 1.0f), du, 0.5f * (1 + t));
}

/* Compute gelu for fast precisions whose attention is not exact (fast.def), by s = (1 + tanh(u))/2 = 1 / (1 + e^-2u),
 * which is accurate where tanh(u) is near -1: y = x s, dy/dx = s + 2 x s (1 - s) du/dx. */
#define MINUS_2_OVER_LN_2 (-2.8853900817779268f)

DEVICE_FN float gelu_gate(float x) {
    return reciprocal(1 + power_of_two(MINUS_2_OVER_LN_2 * gelu_inner(x)));
}

DEVICE_FN float gelu_fast_value(float x) {
    return x * gelu_gate(x);
}

DEVICE_FN float gelu_fast_slope(float x) {
    const float s = gelu_gate(x), du = ROOT_2_OVER_PI * CANON_FMA(3 * CUBIC * x, x, 1.0f);
    return CANON_FMA(2 * x * s * (1 - s), du, s);
}

#endif
