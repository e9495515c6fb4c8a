/* y = x + s with s one learned number or one learned row; ds = sum over rows of dy. */
#include "kernels/cpu/elementwise.h"

static void forward(const Call *c) {
    int d = c->out.cols, wide = c->in[1].cols > 1;
    Share rows = call_share(c, c->out.rows);
    for (int r = 0; r < c->replicas; r++) {
        const real *x = at(c->in[0], r) + (size_t)rows.from * (size_t)d, *s = at(c->in[1], r);
        real *y = at(c->out, r) + (size_t)rows.from * (size_t)d;
        for (int row = rows.from; row < rows.to; row++, x += d, y += d)
            for (int i = 0; i < d; i++) y[i] = x[i] + s[wide ? i : 0];
    }
}

static void shift_gradient(const Call *c, int r) {
    int d = c->out.cols, width = c->in[1].cols;
    Share cols = call_share(c, width);
    int count = cols.to - cols.from;
    const real *dy = at(c->dout, r), *total;
    ROWS_REDUCE(c->out.rows, count, (real *)c->scratch, total, {
        const real *dyr = dy + (size_t)row * (size_t)d;
        if (width == 1 && d > 1 && count)
            sum[0] += row_sum(dyr, d);
        else
            for (int i = 0; i < count; i++) sum[i] += dyr[cols.from + i];
    });
    for (int i = 0; i < count; i++) put(&at(c->din[1], r)[cols.from + i], total[i], c->accumulate[1]);
}

static void backward(const Call *c) {
    for (int r = 0; r < c->replicas; r++) {
        pass_gradient(c, r);
        if (c->din[1].at) shift_gradient(c, r);
    }
}

static size_t scratch(const Call *c) {
    return (size_t)tree_slots(c->out.rows) * (size_t)c->in[1].cols * sizeof(real);
}

KERNEL(shift, forward, backward, scratch);
