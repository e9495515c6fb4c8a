/* y = alpha s, s = 1 / (1 + exp(-x)); dy/dx = alpha s (1 - s) */
#include "kernels/cpu/elementwise.h"

static inline real sigmoid(real x) {
    return 1 / (1 + r_exp(-x));
}

static inline real slope(real x, real alpha) {
    const real s = sigmoid(x);
    return alpha * s * (1 - s);
}

static void forward(const Call *c) {
    const real alpha = (real)c->attr.alpha;
    ELEMENTWISE_FORWARD(c, alpha * sigmoid(x[i]));
}

static void backward(const Call *c) {
    const real alpha = (real)c->attr.alpha;
    ELEMENTWISE_BACKWARD(c, slope(x[i], alpha));
}

KERNEL(sigmoid, forward, backward, NULL);
