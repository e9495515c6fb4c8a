/* y = |x|_2 per row: a probe, no gradient. */
#include "kernels/cpu/real.h"

static void forward(const Call *c) {
    int d = c->in[0].cols;
    Share rows = call_share(c, c->in[0].rows);
    for (int r = 0; r < c->replicas; r++)
        for (int row = rows.from; row < rows.to; row++) {
            const real *x = reading(at(c->in[0], r) + (size_t)row * (size_t)d, d);
            at(c->out, r)[row] = r_sqrt(row_dot(x, x, d));
        }
}

KERNEL(rownorm, forward, NULL, NULL);
