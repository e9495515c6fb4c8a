/* y = x / |x|, |x| = sqrt(sum x^2 + eps), in groups. save: 1/|x| in the second column of each pair.
 * dx = (dy - y sum(dy y)) / |x| */
#include "kernels/cpu/real.h"

static int width_of(const Call *c) {
    return c->attr.group ? c->attr.group : c->in[0].cols;
}

static void forward(const Call *c) {
    int n = width_of(c);
    Share lines = call_share(c, c->in[0].rows * (c->in[0].cols / n));
    for (int r = 0; r < c->replicas; r++)
        for (int line = lines.from; line < lines.to; line++) {
            const real *restrict x = at(c->in[0], r) + (size_t)line * (size_t)n;
            real *restrict y = at(c->out, r) + (size_t)line * (size_t)n;
            real inverse = 1 / r_sqrt(row_dot(x, x, n) + (real)c->attr.eps);
            for (int i = 0; i < n; i++) y[i] = x[i] * inverse;
            at(c->save, r)[2 * line] = 0, at(c->save, r)[2 * line + 1] = inverse;
        }
}

static void backward(const Call *c) {
    int n = width_of(c);
    Share lines = call_share(c, c->in[0].rows * (c->in[0].cols / n));
    for (int r = 0; c->din[0].at && r < c->replicas; r++)
        for (int line = lines.from; line < lines.to; line++) {
            const size_t first = (size_t)line * (size_t)n;
            const real *restrict x = at(c->in[0], r) + first, *restrict dy = at(c->dout, r) + first;
            real *restrict dx = at(c->din[0], r) + first, inverse = at(c->save, r)[2 * line + 1], dot;
            ROW_REDUCE(n, dot, lane[j] = r_fma(dy[i], x[i] * inverse, lane[j]));
            for (int i = 0; i < n; i++) put(&dx[i], r_fma(-(x[i] * inverse), dot, dy[i]) * inverse, c->accumulate[0]);
        }
}

KERNEL(unit, forward, backward, NULL);
