/* h = (x - mean) / sqrt(var + eps),  y = g h + b; two-pass variance. save: mean, 1/deviation per group.
 * dx = (dh - mean(dh) - h mean(dh h)) / deviation with dh = dy g;  dg = sum of dy h, db = sum of dy over rows. */
#include "kernels/cpu/lines.h"

static inline void forward_line(real *restrict y, real *restrict save, const real *restrict x, const real *restrict g,
                                const real *restrict b, int n, real eps) {
    real mean = row_sum(x, n) / (real)n, squares;
    ROW_REDUCE(n, squares, lane[j] = r_fma(x[i] - mean, x[i] - mean, lane[j]));
    real inverse = 1 / r_sqrt(squares / (real)n + eps);
    for (int i = 0; i < n; i++) y[i] = r_fma((x[i] - mean) * inverse, g[i], b[i]);
    save[0] = mean, save[1] = inverse;
}

static void forward(const Call *c) {
    EACH_LINE(c, {
        const real *x = reading(at(c->in[0], r) + first, n);
        real *y = writing(at(c->out, r) + first, n);
        forward_line(y, at(c->save, r) + 2 * line, x, at(c->in[1], r), at(c->in[2], r), n, (real)c->attr.eps);
    });
}

static inline void input_line(real *restrict dx, const real *restrict x, const real *restrict dy,
                              const real *restrict g, real mean, real inverse, int n, bool accumulate) {
    real sum, dot;
    ROW_REDUCE(n, sum, lane[j] = r_fma(dy[i], g[i], lane[j]));
    ROW_REDUCE(n, dot, lane[j] = r_fma(dy[i] * g[i], (x[i] - mean) * inverse, lane[j]));
    sum /= (real)n, dot /= (real)n;
    for (int i = 0; i < n; i++) {
        real h = (x[i] - mean) * inverse;
        put(&dx[i], r_fma(-h, dot, r_fma(dy[i], g[i], -sum)) * inverse, accumulate);
    }
}

static inline void gain_line(real *restrict dg, real *restrict db, const real *restrict x, const real *restrict dy,
                             real mean, real inverse, int count) {
    for (int i = 0; i < count; i++) {
        dg[i] = r_fma(dy[i], (x[i] - mean) * inverse, dg[i]);
        db[i] += dy[i];
    }
}

/* Compute dx of this thread's lines and the gain's and bias's gradients of its columns, in one loop, which reads each
 * line from memory once. */
static void gradients(const Call *c, int r) {
    const int n = width_of(c), lines = lines_of(c);
    const bool gains = c->din[1].at || c->din[2].at;
    const Share mine = call_share(c, lines), cols = call_share(c, n);
    const int count = gains ? cols.to - cols.from : 0;
    const real *x = at(c->in[0], r), *dy = at(c->dout, r), *g = at(c->in[1], r), *save = at(c->save, r), *total;
    real *dx = at(c->din[0], r);
    ROWS_REDUCE(lines, 2 * count, (real *)c->scratch, total, {
        const size_t first = (size_t)row * (size_t)n, part = first + (size_t)cols.from;
        const real mean = save[2 * row], inverse = save[2 * row + 1];
        if (dx && row >= mine.from && row < mine.to)
            input_line(writing(dx + first, n), reading(x + first, n), reading(dy + first, n), g, mean, inverse, n,
                       c->accumulate[0]);
        gain_line(sum, sum + count, x + part, dy + part, mean, inverse, count);
    });
    for (int which = 1; which < 3; which++)
        for (int i = 0; c->din[which].at && i < count; i++)
            put(&at(c->din[which], r)[cols.from + i], total[(which - 1) * count + i], c->accumulate[which]);
}

static void backward(const Call *c) {
    for (int r = 0; r < c->replicas; r++) gradients(c, r);
}

static size_t scratch(const Call *c) {
    return 2 * gain_scratch(c);
}

KERNEL(layernorm, forward, backward, scratch);
