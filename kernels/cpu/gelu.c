/* y = x/2 (1 + tanh(u)), u = sqrt(2/pi) (x + 0.044715 x^3)   (Hendrycks and Gimpel 2016, tanh form)
 * dy/dx = (1 + tanh u)/2 + x/2 (1 - tanh^2 u) du/dx */
#include "kernels/cpu/elementwise.h"

#define ROOT_2_OVER_PI ((real)0.7978845608028654)
#define CUBIC ((real)0.044715)

static inline real inner(real x) {
    return ROOT_2_OVER_PI * r_fma(CUBIC * x * x, x, x);
}

static inline real value(real x) {
    return (real)0.5 * x * (1 + r_tanh(inner(x)));
}

static inline real slope(real x) {
    real t = r_tanh(inner(x)), du = ROOT_2_OVER_PI * r_fma(3 * CUBIC * x, x, 1);
    return r_fma((real)0.5 * x * r_fma(-t, t, 1), du, (real)0.5 * (1 + t));
}

static void forward(const Call *c) {
    ELEMENTWISE_FORWARD(c, value(x[i]));
}

static void backward(const Call *c) {
    ELEMENTWISE_BACKWARD(c, slope(x[i]));
}

KERNEL(gelu, forward, backward, NULL);
