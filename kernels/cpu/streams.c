/* x = n groups of columns (residual streams), y = m of them: y_i = sum_j m_ij x_j, a chain over ascending j (Zhu et al.
 * 2025, Hyper-Connections, whose static form has one matrix for all tokens).
 * dx_j = sum_i m_ij dy_i, over ascending i;  dm_ij = sum over rows of dy_i . x_j */
#include "kernels/cpu/groups.h"

static void forward(const Call *c) {
    const Groups g = groups_of(c);
    const Share rows = call_share(c, c->out.rows);
    for (int r = 0; r < c->replicas; r++)
        for (int row = rows.from; row < rows.to; row++) {
            const real *x = at(c->in[0], r) + (size_t)row * (size_t)c->in[0].cols, *w = at(c->in[1], r);
            real *y = at(c->out, r) + (size_t)row * (size_t)c->out.cols;
            for (int i = 0; i < g.m; i++) mix(y + i * g.d, x, w + i * g.n, 1, g.n, g.d, false);
        }
}

/* Compute the gradient of this thread's numbers of the matrix. */
static void matrix_gradient(const Call *c, int r) {
    const Groups g = groups_of(c);
    const Share pairs = call_share(c, g.m * g.n);
    const int count = pairs.to - pairs.from;
    const real *x0 = at(c->in[0], r), *dy0 = at(c->dout, r), *total;
    ROWS_REDUCE(c->out.rows, count, (real *)c->scratch, total, {
        const real *x = x0 + (size_t)row * (size_t)c->in[0].cols, *dy = dy0 + (size_t)row * (size_t)c->out.cols;
        for (int k = 0; k < count; k++) {
            const int i = (pairs.from + k) / g.n, j = (pairs.from + k) % g.n;
            sum[k] += row_dot(dy + i * g.d, x + j * g.d, g.d);
        }
    });
    for (int k = 0; k < count; k++) put(&at(c->din[1], r)[pairs.from + k], total[k], c->accumulate[1]);
}

static void backward(const Call *c) {
    const Groups g = groups_of(c);
    const Share rows = call_share(c, c->out.rows);
    for (int r = 0; r < c->replicas; r++) {
        for (int row = rows.from; c->din[0].at && row < rows.to; row++) {
            const real *dy = at(c->dout, r) + (size_t)row * (size_t)c->out.cols, *w = at(c->in[1], r);
            real *dx = at(c->din[0], r) + (size_t)row * (size_t)c->in[0].cols;
            for (int j = 0; j < g.n; j++) mix(dx + j * g.d, dy, w + j, g.n, g.m, g.d, c->accumulate[0]);
        }
        if (c->din[1].at) matrix_gradient(c, r);
    }
}

static size_t scratch(const Call *c) {
    return (size_t)tree_slots(c->out.rows) * (size_t)c->in[1].cols * sizeof(real);
}

KERNEL(streams, forward, backward, scratch);
