/* y = alpha x */
#include "kernels/cpu/elementwise.h"

static void forward(const Call *c) {
    const real alpha = (real)c->attr.alpha;
    if (c->out.at == c->in[0].at) {
        ELEMENTWISE_OVER(c, alpha);
    } else {
        ELEMENTWISE_FORWARD(c, alpha * x[i]);
    }
}

static void backward(const Call *c) {
    const real alpha = (real)c->attr.alpha;
    ELEMENTWISE_BACKWARD(c, alpha);
}

KERNEL(scale, forward, backward, NULL);
