/* x = [a | b]: y = silu(a) b, silu(a) = a s, s = 1 / (1 + e^-a)   (Shazeer 2020)
 * da = dy b s (1 + a (1 - s)),  db = dy silu(a) */
#include "kernels/cpu/real.h"

static inline real sigmoid(real a) {
    return 1 / (1 + r_exp(-a));
}

static void forward(const Call *c) {
    int n = c->out.cols;
    Share rows = call_share(c, c->out.rows);
    for (int r = 0; r < c->replicas; r++)
        for (int row = rows.from; row < rows.to; row++) {
            const real *restrict x = at(c->in[0], r) + (size_t)row * 2 * (size_t)n;
            real *restrict y = at(c->out, r) + (size_t)row * (size_t)n;
            for (int i = 0; i < n; i++) y[i] = x[i] * sigmoid(x[i]) * x[n + i];
        }
}

static void backward(const Call *c) {
    int n = c->out.cols;
    Share rows = call_share(c, c->out.rows);
    for (int r = 0; c->din[0].at && r < c->replicas; r++)
        for (int row = rows.from; row < rows.to; row++) {
            const real *restrict x = at(c->in[0], r) + (size_t)row * 2 * (size_t)n;
            const real *restrict dy = at(c->dout, r) + (size_t)row * (size_t)n;
            real *restrict dx = at(c->din[0], r) + (size_t)row * 2 * (size_t)n;
            for (int i = 0; i < n; i++) {
                real a = x[i], s = sigmoid(a);
                put(&dx[i], dy[i] * x[n + i] * (s * r_fma(a, 1 - s, 1)), c->accumulate[0]);
                put(&dx[n + i], dy[i] * (a * s), c->accumulate[0]);
            }
        }
}

KERNEL(swiglu, forward, backward, NULL);
