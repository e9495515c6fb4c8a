/* y = g x with g one learned number (ReZero) or one learned row (LayerScale); dg = sum over rows of dy x. */
#include "kernels/cpu/real.h"

static void forward(const Call *c) {
    int d = c->out.cols, wide = c->in[1].cols > 1;
    Share rows = call_share(c, c->out.rows);
    for (int r = 0; r < c->replicas; r++) {
        const real *x = at(c->in[0], r) + rows.from * d, *g = at(c->in[1], r);
        real *y = at(c->out, r) + rows.from * d;
        for (int row = rows.from; row < rows.to; row++, x += d, y += d)
            for (int i = 0; i < d; i++) y[i] = g[wide ? i : 0] * x[i];
    }
}

static void gate_gradient(const Call *c, int r) {
    int d = c->out.cols, width = c->in[1].cols;
    Share cols = call_share(c, width);
    int count = cols.to - cols.from;
    const real *x = at(c->in[0], r), *dy = at(c->dout, r), *total;
    ROWS_REDUCE(c->out.rows, count, (real *)c->scratch, total, {
        const real *xr = x + (size_t)row * (size_t)d, *dyr = dy + (size_t)row * (size_t)d;
        if (width == 1 && d > 1 && count)
            sum[0] += row_dot(xr, dyr, d);
        else
            for (int i = 0; i < count; i++) sum[i] = r_fma(dyr[cols.from + i], xr[cols.from + i], sum[i]);
    });
    for (int i = 0; i < count; i++) put(&at(c->din[1], r)[cols.from + i], total[i], c->accumulate[1]);
}

static void backward(const Call *c) {
    int d = c->out.cols, wide = c->in[1].cols > 1;
    Share rows = call_share(c, c->out.rows);
    for (int r = 0; r < c->replicas; r++) {
        const real *g = at(c->in[1], r);
        for (int row = rows.from; c->din[0].at && row < rows.to; row++) {
            const real *dy = at(c->dout, r) + row * d;
            real *dx = at(c->din[0], r) + row * d;
            for (int i = 0; i < d; i++) put(&dx[i], g[wide ? i : 0] * dy[i], c->accumulate[0]);
        }
        if (c->din[1].at) gate_gradient(c, r);
    }
}

static size_t scratch(const Call *c) {
    return (size_t)tree_slots(c->out.rows) * (size_t)c->in[1].cols * sizeof(real);
}

KERNEL(gate, forward, backward, scratch);
