/* y = x - mean(x), in groups; dx = dy - mean(dy): the same projection. */
#include "kernels/cpu/lines.h"

static void project(const Call *c, View to, View from, bool accumulate) {
    EACH_LINE(c, {
        const real *x = at(from, r) + first;
        real *y = at(to, r) + first, mean = row_sum(x, n) / (real)n;
        for (int i = 0; i < n; i++) put(&y[i], x[i] - mean, accumulate);
    });
}

static void forward(const Call *c) {
    project(c, c->out, c->in[0], false);
}

static void backward(const Call *c) {
    if (c->din[0].at) project(c, c->din[0], c->dout, c->accumulate[0]);
}

KERNEL(center, forward, backward, NULL);
