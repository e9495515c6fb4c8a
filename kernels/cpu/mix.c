/* x = n groups of d columns (residual streams), y = m of them, mixed by a matrix of their own in each row:
 * y_i = sum_j m_ij x_j, a chain over ascending j (Xie et al. 2025, mHC).
 * dx_j = sum_i m_ij dy_i, over ascending i;  dm_ij = dy_i . x_j */
#include "kernels/cpu/groups.h"

static void forward(const Call *c) {
    const Groups g = groups_of(c);
    const Share rows = call_share(c, c->out.rows);
    for (int r = 0; r < c->replicas; r++)
        for (int row = rows.from; row < rows.to; row++) {
            const real *x = at(c->in[0], r) + (size_t)row * (size_t)c->in[0].cols;
            const real *m = at(c->in[1], r) + (size_t)row * (size_t)c->in[1].cols;
            real *y = at(c->out, r) + (size_t)row * (size_t)c->out.cols;
            for (int i = 0; i < g.m; i++) mix(y + i * g.d, x, m + i * g.n, 1, g.n, g.d, false);
        }
}

static void backward(const Call *c) {
    const Groups g = groups_of(c);
    const Share rows = call_share(c, c->out.rows);
    for (int r = 0; r < c->replicas; r++)
        for (int row = rows.from; row < rows.to; row++) {
            const size_t in = (size_t)row * (size_t)c->in[0].cols, matrix = (size_t)row * (size_t)c->in[1].cols;
            const real *x = at(c->in[0], r) + in, *m = at(c->in[1], r) + matrix;
            const real *dy = at(c->dout, r) + (size_t)row * (size_t)c->out.cols;
            for (int j = 0; c->din[0].at && j < g.n; j++)
                mix(at(c->din[0], r) + in + j * g.d, dy, m + j, g.n, g.m, g.d, c->accumulate[0]);
            for (int i = 0; c->din[1].at && i < g.m * g.n; i++)
                put(&at(c->din[1], r)[matrix + (size_t)i], row_dot(dy + i / g.n * g.d, x + i % g.n * g.d, g.d),
                    c->accumulate[1]);
        }
}

KERNEL(mix, forward, backward, NULL);
