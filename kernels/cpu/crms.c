/* y = g x / sqrt((sum x^2 + (sum x)^2) / (n + 1) + eps), in groups: CRMSNorm (Jiang et al. 2023), which is the RMS norm
 * of the n + 1 numbers x and -sum x, whose mean is 0. save: the sum, 1/rms per group.
 *   h = x / rms, dh = dy g:  dx = (dh - (x + sum x) / rms * sum(dh h) / (n + 1)) / rms;  dg = sum of dy h over rows */
#include "kernels/cpu/rms.h"

static int width_of(const Call *c) {
    return c->attr.group ? c->attr.group : c->in[0].cols;
}

static void forward(const Call *c) {
    int n = width_of(c);
    Share lines = call_share(c, c->in[0].rows * (c->in[0].cols / n));
    for (int r = 0; r < c->replicas; r++)
        for (int line = lines.from; line < lines.to; line++) {
            size_t first = (size_t)line * (size_t)n;
            const real *x = at(c->in[0], r) + first, *g = at(c->in[1], r);
            real *y = at(c->out, r) + first, *save = at(c->save, r) + 2 * line, sum = row_sum(x, n);
            real inverse = 1 / r_sqrt(r_fma(sum, sum, row_dot(x, x, n)) / (real)(n + 1) + (real)c->attr.eps);
            for (int i = 0; i < n; i++) y[i] = x[i] * inverse * g[i];
            save[0] = sum, save[1] = inverse;
        }
}

static inline void input_line(real *restrict dx, const real *restrict dy, const real *restrict x,
                              const real *restrict g, real sum, real inverse, int n, bool accumulate) {
    real dot;
    ROW_REDUCE(n, dot, lane[j] = r_fma(dy[i] * g[i], x[i] * inverse, lane[j]));
    dot /= (real)(n + 1);
    for (int i = 0; i < n; i++)
        put(&dx[i], r_fma(-((x[i] + sum) * inverse), dot, dy[i] * g[i]) * inverse, accumulate);
}

static void backward(const Call *c) {
    const int n = width_of(c), lines = c->in[0].rows * (c->in[0].cols / n);
    const Share mine = call_share(c, lines), cols = call_share(c, n);
    const int count = c->din[1].at ? cols.to - cols.from : 0;
    for (int r = 0; r < c->replicas; r++) {
        const real *x = at(c->in[0], r), *g = at(c->in[1], r), *dy = at(c->dout, r), *save = at(c->save, r), *total;
        real *dx = at(c->din[0], r);
        ROWS_REDUCE(lines, count, (real *)c->scratch, total, {
            const size_t first = (size_t)row * (size_t)n, part = first + (size_t)cols.from;
            const real inverse = save[2 * row + 1];
            if (dx && row >= mine.from && row < mine.to)
                input_line(dx + first, dy + first, x + first, g, save[2 * row], inverse, n, c->accumulate[0]);
            rms_gain(sum, dy + part, x + part, inverse, count);
        });
        for (int i = 0; i < count; i++) put(&at(c->din[1], r)[cols.from + i], total[i], c->accumulate[1]);
    }
}

static size_t scratch(const Call *c) {
    int n = width_of(c);
    return (size_t)tree_slots(c->in[0].rows * (c->in[0].cols / n)) * (size_t)n * sizeof(real);
}

KERNEL(crms, forward, backward, scratch);
