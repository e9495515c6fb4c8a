/* y = x - mean(x), in groups; dx = dy - mean(dy): the same projection. */
#include "kernels/cpu/real.h"

static void project(real *y, const real *x, Share lines, int n, bool accumulate) {
    x += (size_t)lines.from * (size_t)n, y += (size_t)lines.from * (size_t)n;
    for (int line = lines.from; line < lines.to; line++, x += n, y += n) {
        real mean = row_sum(x, n) / (real)n;
        for (int i = 0; i < n; i++) put(&y[i], x[i] - mean, accumulate);
    }
}

static void forward(const Call *c) {
    int n = c->attr.group ? c->attr.group : c->in[0].cols;
    Share lines = call_share(c, c->in[0].rows * (c->in[0].cols / n));
    for (int r = 0; r < c->replicas; r++) project(at(c->out, r), at(c->in[0], r), lines, n, false);
}

static void backward(const Call *c) {
    int n = c->attr.group ? c->attr.group : c->in[0].cols;
    Share lines = call_share(c, c->in[0].rows * (c->in[0].cols / n));
    for (int r = 0; c->din[0].at && r < c->replicas; r++)
        project(at(c->din[0], r), at(c->dout, r), lines, n, c->accumulate[0]);
}

KERNEL(center, forward, backward, NULL);
