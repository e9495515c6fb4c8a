/* y = g x with g one learned number (ReZero), one learned row (LayerScale) or a learned number for each of equal groups
 * of columns (the head scale of NormFormer); dg = sum over rows of dy x. */
#include "kernels/cpu/real.h"

/* Multiply one row of d columns by n numbers. */
static inline void gate_line(real *y, const real *x, const real *g, int d, int n, bool accumulate) {
    if (n == d)
        for (int i = 0; i < d; i++) put(&y[i], g[i] * x[i], accumulate);
    else
        for (int j = 0, m = d / n; j < n; j++) {
            const real by = g[j];
            for (int i = j * m; i < (j + 1) * m; i++) put(&y[i], by * x[i], accumulate);
        }
}

static void forward(const Call *c) {
    int d = c->out.cols, n = c->in[1].cols;
    Share rows = call_share(c, c->out.rows);
    for (int r = 0; r < c->replicas; r++) {
        const real *x = at(c->in[0], r) + rows.from * d, *g = at(c->in[1], r);
        real *y = at(c->out, r) + rows.from * d;
        for (int row = rows.from; row < rows.to; row++, x += d, y += d) gate_line(y, x, g, d, n, false);
    }
}

static void gate_gradient(const Call *c, int r) {
    int d = c->out.cols, n = c->in[1].cols, m = d / n;
    Share mine = call_share(c, n);
    int count = mine.to - mine.from;
    const real *x = at(c->in[0], r), *dy = at(c->dout, r), *total;
    ROWS_REDUCE(c->out.rows, count, (real *)c->scratch, total, {
        const size_t first = (size_t)row * (size_t)d + (size_t)mine.from * (size_t)m;
        const real *xr = x + first, *dyr = dy + first;
        if (m > 1)
            for (int i = 0; i < count; i++) sum[i] += row_dot(xr + i * m, dyr + i * m, m);
        else
            for (int i = 0; i < count; i++) sum[i] = r_fma(dyr[i], xr[i], sum[i]);
    });
    for (int i = 0; i < count; i++) put(&at(c->din[1], r)[mine.from + i], total[i], c->accumulate[1]);
}

static void backward(const Call *c) {
    int d = c->out.cols, n = c->in[1].cols;
    Share rows = call_share(c, c->out.rows);
    for (int r = 0; r < c->replicas; r++) {
        const real *g = at(c->in[1], r);
        for (int row = rows.from; c->din[0].at && row < rows.to; row++) {
            const real *dy = at(c->dout, r) + (size_t)row * (size_t)d;
            real *dx = at(c->din[0], r) + (size_t)row * (size_t)d;
            gate_line(dx, dy, g, d, n, c->accumulate[0]);
        }
        if (c->din[1].at) gate_gradient(c, r);
    }
}

static size_t scratch(const Call *c) {
    return (size_t)tree_slots(c->out.rows) * (size_t)c->in[1].cols * sizeof(real);
}

KERNEL(gate, forward, backward, scratch);
