/* y = max(x, 0), NaN kept; the slope at 0 is 0. */
#include "kernels/cpu/elementwise.h"

static void forward(const Call *c) {
    ELEMENTWISE_FORWARD(c, x[i] <= 0 ? 0 : x[i]);
}

static void backward(const Call *c) {
    ELEMENTWISE_BACKWARD(c, (real)(x[i] > 0));
}

KERNEL(relu, forward, backward, NULL);
