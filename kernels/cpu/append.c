/* y = [x0 | x1]; each gradient is its columns of dy. */
#include "kernels/cpu/real.h"

static void forward(const Call *c) {
    const size_t n0 = (size_t)c->in[0].cols, n1 = (size_t)c->in[1].cols;
    const Share rows = call_share(c, c->out.rows);
    for (int r = 0; r < c->replicas; r++)
        for (int row = rows.from; row < rows.to; row++) {
            real *y = at(c->out, r) + (size_t)row * (n0 + n1);
            memcpy(y, at(c->in[0], r) + (size_t)row * n0, n0 * sizeof(real));
            memcpy(y + n0, at(c->in[1], r) + (size_t)row * n1, n1 * sizeof(real));
        }
}

/* Write both gradients. If both inputs are one tensor, this thread's rows of the first are complete before the second
 * is added. */
static void backward(const Call *c) {
    const Share rows = call_share(c, c->out.rows);
    for (int r = 0; r < c->replicas; r++)
        for (int which = 0, first = 0; which < 2; first += c->in[which++].cols)
            for (int row = rows.from; c->din[which].at && row < rows.to; row++) {
                const int n = c->in[which].cols;
                const real *dy = at(c->dout, r) + (size_t)row * (size_t)c->out.cols + first;
                real *dx = at(c->din[which], r) + (size_t)row * (size_t)n;
                for (int i = 0; i < n; i++) put(&dx[i], dy[i], c->accumulate[which]);
            }
}

KERNEL(append, forward, backward, NULL);
