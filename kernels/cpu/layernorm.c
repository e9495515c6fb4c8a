/* h = (x - mean) / sqrt(var + eps),  y = g h + b; two-pass variance. save: mean, 1/deviation per group.
 * dx = (dh - mean(dh) - h mean(dh h)) / deviation with dh = dy g;  dg = sum of dy h, db = sum of dy over rows.
 * A row of several groups is that many rows: the memory is the same. */
#include "kernels/cpu/real.h"

static int width_of(const Call *c) {
    return c->attr.group ? c->attr.group : c->in[0].cols;
}

static void forward(const Call *c) {
    int n = width_of(c);
    Share lines = call_share(c, c->in[0].rows * (c->in[0].cols / n));
    for (int r = 0; r < c->replicas; r++) {
        const real *g = at(c->in[1], r), *b = at(c->in[2], r);
        real *save = at(c->save, r);
        for (int line = lines.from; line < lines.to; line++) {
            const real *x = at(c->in[0], r) + (size_t)line * (size_t)n;
            real *y = at(c->out, r) + (size_t)line * (size_t)n, squares;
            real mean = row_sum(x, n) / (real)n;
            ROW_REDUCE(n, squares, lane[j] = r_fma(x[i] - mean, x[i] - mean, lane[j]));
            real inverse = 1 / r_sqrt(squares / (real)n + (real)c->attr.eps);
            for (int i = 0; i < n; i++) y[i] = r_fma((x[i] - mean) * inverse, g[i], b[i]);
            save[2 * line] = mean, save[2 * line + 1] = inverse;
        }
    }
}

static void input_gradient(const Call *c, int r, int n, Share lines) {
    const real *g = at(c->in[1], r), *save = at(c->save, r);
    for (int line = lines.from; line < lines.to; line++) {
        size_t first = (size_t)line * (size_t)n;
        const real *x = at(c->in[0], r) + first, *dy = at(c->dout, r) + first;
        real *dx = at(c->din[0], r) + first, mean = save[2 * line], inverse = save[2 * line + 1], sum, dot;
        ROW_REDUCE(n, sum, lane[j] = r_fma(dy[i], g[i], lane[j]));
        ROW_REDUCE(n, dot, lane[j] = r_fma(dy[i] * g[i], (x[i] - mean) * inverse, lane[j]));
        sum /= (real)n, dot /= (real)n;
        for (int i = 0; i < n; i++) {
            real h = (x[i] - mean) * inverse;
            put(&dx[i], r_fma(-h, dot, r_fma(dy[i], g[i], -sum)) * inverse, c->accumulate[0]);
        }
    }
}

/* Gain and bias side by side, this thread's columns of both. */
static void gain_gradient(const Call *c, int r, int n, int lines) {
    Share cols = call_share(c, n);
    int count = cols.to - cols.from;
    const real *x = at(c->in[0], r) + cols.from, *dy = at(c->dout, r) + cols.from, *save = at(c->save, r), *total;
    ROWS_REDUCE(lines, 2 * count, (real *)c->scratch, total, {
        const real *xr = x + (size_t)row * (size_t)n, *dyr = dy + (size_t)row * (size_t)n;
        real mean = save[2 * row], inverse = save[2 * row + 1];
        for (int i = 0; i < count; i++) sum[i] = r_fma(dyr[i], (xr[i] - mean) * inverse, sum[i]);
        for (int i = 0; i < count; i++) sum[count + i] += dyr[i];
    });
    for (int which = 1; which < 3; which++)
        for (int i = 0; c->din[which].at && i < count; i++)
            put(&at(c->din[which], r)[cols.from + i], total[(which - 1) * count + i], c->accumulate[which]);
}

static void backward(const Call *c) {
    int n = width_of(c), lines = c->in[0].rows * (c->in[0].cols / n);
    for (int r = 0; r < c->replicas; r++) {
        if (c->din[0].at) input_gradient(c, r, n, call_share(c, lines));
        if (c->din[1].at || c->din[2].at) gain_gradient(c, r, n, lines);
    }
}

static size_t scratch(const Call *c) {
    int n = width_of(c);
    return (size_t)tree_slots(c->in[0].rows * (c->in[0].cols / n)) * 2 * (size_t)n * sizeof(real);
}

KERNEL(layernorm, forward, backward, scratch);
