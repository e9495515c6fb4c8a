/* y = alpha tanh(x / alpha): alpha at most (Gemma 2); dy/dx = 1 - tanh^2 */
#include "kernels/cpu/elementwise.h"

static inline real slope(real x, real alpha) {
    const real t = r_tanh(x / alpha);
    return r_fma(-t, t, 1);
}

static void forward(const Call *c) {
    const real alpha = (real)c->attr.alpha;
    ELEMENTWISE_FORWARD(c, alpha * r_tanh(x[i] / alpha));
}

static void backward(const Call *c) {
    const real alpha = (real)c->attr.alpha;
    ELEMENTWISE_BACKWARD(c, slope(x[i], alpha));
}

KERNEL(softcap, forward, backward, NULL);
