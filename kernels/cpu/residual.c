/* y = alpha x + beta f. With alpha = beta = 1 this is x + f exactly. */
#include "kernels/cpu/real.h"

static void forward(const Call *c) {
    const real alpha = (real)c->attr.alpha, beta = (real)c->attr.beta;
    const int n = c->out.rows * c->out.cols;
    for (int r = 0; r < c->replicas; r++) {
        const real *restrict x = at(c->in[0], r), *restrict f = at(c->in[1], r);
        real *restrict y = at(c->out, r);
        for (int i = 0; i < n; i++) y[i] = r_fma(alpha, x[i], beta * f[i]);
    }
}

static void backward(const Call *c) {
    const real factor[2] = {(real)c->attr.alpha, (real)c->attr.beta};
    const int n = c->out.rows * c->out.cols;
    for (int r = 0; r < c->replicas; r++)
        for (int which = 0; which < 2; which++) {
            const real *restrict dy = at(c->dout, r);
            real *restrict dx = at(c->din[which], r);
            for (int i = 0; dx && i < n; i++) put(&dx[i], factor[which] * dy[i], c->accumulate[which]);
        }
}

KERNEL(residual, forward, backward, NULL);
