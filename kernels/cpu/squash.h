/* y = g f(x) + b with f bounded and elementwise, g and b one row each; dx = dy g f'(x), dg = sum of dy f(x) over rows,
 * db = sum of dy. A file that includes this defines before: real squash(real x) = f and
 * real squash_slope(real x, real f) = f'. */
#ifndef KERNELS_CPU_SQUASH_H
#define KERNELS_CPU_SQUASH_H

#include "kernels/cpu/real.h"

static inline real squash(real x);
static inline real squash_slope(real x, real f);

static void forward(const Call *c) {
    int d = c->out.cols;
    Share rows = call_share(c, c->out.rows);
    for (int r = 0; r < c->replicas; r++) {
        const real *restrict g = at(c->in[1], r), *restrict b = at(c->in[2], r);
        for (int row = rows.from; row < rows.to; row++) {
            const real *restrict x = at(c->in[0], r) + (size_t)row * (size_t)d;
            real *restrict y = at(c->out, r) + (size_t)row * (size_t)d;
            for (int i = 0; i < d; i++) y[i] = r_fma(squash(x[i]), g[i], b[i]);
        }
    }
}

static inline void squash_gains(real *restrict dg, real *restrict db, const real *restrict x, const real *restrict dy,
                                int count) {
    for (int i = 0; i < count; i++) {
        dg[i] = r_fma(dy[i], squash(x[i]), dg[i]);
        db[i] += dy[i];
    }
}

static void backward(const Call *c) {
    const int d = c->out.cols, gains = c->din[1].at || c->din[2].at;
    const Share mine = call_share(c, c->out.rows), cols = call_share(c, d);
    const int count = gains ? cols.to - cols.from : 0;
    for (int r = 0; r < c->replicas; r++) {
        const real *x = at(c->in[0], r), *dy = at(c->dout, r), *g = at(c->in[1], r), *total;
        real *dx = at(c->din[0], r);
        for (int row = mine.from; dx && row < mine.to; row++)
            for (size_t e = (size_t)row * (size_t)d, i = 0; i < (size_t)d; i++, e++)
                put(&dx[e], dy[e] * g[i] * squash_slope(x[e], squash(x[e])), c->accumulate[0]);
        ROWS_REDUCE(c->out.rows, 2 * count, (real *)c->scratch, total, {
            const size_t part = (size_t)row * (size_t)d + (size_t)cols.from;
            squash_gains(sum, sum + count, x + part, dy + part, count);
        });
        for (int which = 1; which < 3; which++)
            for (int i = 0; c->din[which].at && i < count; i++)
                put(&at(c->din[which], r)[cols.from + i], total[(which - 1) * count + i], c->accumulate[which]);
    }
}

static size_t scratch(const Call *c) {
    return (size_t)tree_slots(c->out.rows) * 2 * (size_t)c->out.cols * sizeof(real);
}

#endif
