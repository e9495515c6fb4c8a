/* y = x / |x|, |x| = sqrt(sum x^2 + eps), in groups. save: 1/|x| in the second column of each pair.
 * dx = (dy - y sum(dy y)) / |x| */
#include "kernels/cpu/lines.h"

static void forward(const Call *c) {
    EACH_LINE(c, {
        const real *restrict x = at(c->in[0], r) + first;
        real *restrict y = at(c->out, r) + first;
        real inverse = 1 / r_sqrt(row_dot(x, x, n) + (real)c->attr.eps);
        for (int i = 0; i < n; i++) y[i] = x[i] * inverse;
        at(c->save, r)[2 * line] = 0, at(c->save, r)[2 * line + 1] = inverse;
    });
}

static void backward(const Call *c) {
    if (!c->din[0].at) return;
    EACH_LINE(c, {
        const real *restrict x = at(c->in[0], r) + first, *restrict dy = at(c->dout, r) + first;
        real *restrict dx = at(c->din[0], r) + first, inverse = at(c->save, r)[2 * line + 1], dot;
        ROW_REDUCE(n, dot, lane[j] = r_fma(dy[i], x[i] * inverse, lane[j]));
        for (int i = 0; i < n; i++) put(&dx[i], r_fma(-(x[i] * inverse), dot, dy[i]) * inverse, c->accumulate[0]);
    });
}

KERNEL(unit, forward, backward, NULL);
