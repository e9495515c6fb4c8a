/* One line of RMS normalization, shared by rmsnorm (whole rows) and qkrms (head slices of q and k).
 *   h = x / sqrt(mean(x^2) + eps),  y = g h
 *   dx = (dh - h mean(dh h)) / rms with dh = dy g;  dg = sum of dy h over lines */
#ifndef KERNELS_CPU_RMS_H
#define KERNELS_CPU_RMS_H

#include "kernels/cpu/lines.h"

/* Normalize one line; return 1/rms for backward. */
static inline real rms_forward(real *restrict y, const real *restrict x, const real *restrict g, int n, real eps) {
    real inverse = 1 / r_sqrt(row_dot(x, x, n) / (real)n + eps);
    for (int i = 0; i < n; i++) y[i] = x[i] * inverse * g[i];
    return inverse;
}

static inline void rms_backward(real *restrict dx, const real *restrict dy, const real *restrict x,
                                const real *restrict g, real inverse, int n, bool accumulate) {
    real dot;
    ROW_REDUCE(n, dot, lane[j] = r_fma(dy[i] * g[i], x[i] * inverse, lane[j]));
    dot /= (real)n;
    for (int i = 0; i < n; i++) put(&dx[i], r_fma(-(x[i] * inverse), dot, dy[i] * g[i]) * inverse, accumulate);
}

static inline void rms_gain(real *restrict sum, const real *restrict dy, const real *restrict x, real inverse, int n) {
    for (int i = 0; i < n; i++) sum[i] = r_fma(dy[i], x[i] * inverse, sum[i]);
}

/* Compute a line's dx. save[2]: the line's sum (or unused) and 1/rms. */
typedef void InputLine(real *restrict dx, const real *restrict dy, const real *restrict x, const real *restrict g,
                       const real *save, int n, bool accumulate);

/* Compute dx of this thread's lines and the gain's gradient in its columns, reading each line from memory once. */
static inline __attribute__((always_inline)) void rms_gradients(const Call *c, InputLine *input_line) {
    const int n = width_of(c), lines = lines_of(c);
    const Share mine = call_share(c, lines), cols = call_share(c, n);
    const int count = c->din[1].at ? cols.to - cols.from : 0;
    for (int r = 0; r < c->replicas; r++) {
        const real *x = at(c->in[0], r), *g = at(c->in[1], r), *dy = at(c->dout, r), *save = at(c->save, r), *total;
        real *dx = at(c->din[0], r);
        ROWS_REDUCE(lines, count, (real *)c->scratch, total, {
            const size_t first = (size_t)row * (size_t)n, part = first + (size_t)cols.from;
            if (dx && row >= mine.from && row < mine.to)
                input_line(dx + first, dy + first, x + first, g, save + 2 * row, n, c->accumulate[0]);
            rms_gain(sum, dy + part, x + part, save[2 * row + 1], count);
        });
        for (int i = 0; i < count; i++) put(&at(c->din[1], r)[cols.from + i], total[i], c->accumulate[1]);
    }
}

#endif
