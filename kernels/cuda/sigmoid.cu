/* y = alpha s, s = 1 / (1 + exp(-x)); dy/dx = alpha s (1 - s) */
#include "kernels/cuda/elementwise.cuh"

DEVICE_FN float sigmoid(float x) {
    return 1 / (1 + canon_exp(-x));
}

DEVICE_FN float sigmoid_slope(float x, float alpha) {
    const float s = sigmoid(x);
    return alpha * s * (1 - s);
}

ELEMENTWISE(sigmoid, (float)c.attr.alpha * sigmoid(x), sigmoid_slope(x, (float)c.attr.alpha));
