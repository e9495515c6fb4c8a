/* y = alpha x */
#include "kernels/cpu/elementwise.h"

static void forward_over(const Call *c, real alpha) {
    const Share all = call_share(c, c->out.rows * c->out.cols);
    for (int r = 0; r < c->replicas; r++) {
        real *y = at(c->out, r);
        for (int i = all.from; i < all.to; i++) y[i] *= alpha;
    }
}

static void forward(const Call *c) {
    const real alpha = (real)c->attr.alpha;
    if (c->out.at == c->in[0].at) {
        forward_over(c, alpha);
    } else {
        ELEMENTWISE_FORWARD(c, alpha * x[i]);
    }
}

static void backward(const Call *c) {
    const real alpha = (real)c->attr.alpha;
    ELEMENTWISE_BACKWARD(c, alpha);
}

KERNEL(scale, forward, backward, NULL);
