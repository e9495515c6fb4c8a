/* x = n groups of d columns (residual streams), y = m of them, mixed by a matrix of their own in each row:
 * y_i = sum_j m_ij x_j, a chain over ascending j.
 * dx_j = sum_i m_ij dy_i, over ascending i;  dm_ij = dy_i . x_j */
#include "kernels/cuda/groups.cuh"

KERNEL_FN(forward, THREADS, Call, c) {
    int r = (int)blockIdx.z, e = thread_index();
    if (e >= c.out.rows * c.out.cols) return;
    const Groups g = groups_of(c);
    int row = e / c.out.cols, i = e % c.out.cols / g.d;
    const Number *x = in_of(c, 0, r) + (size_t)row * c.in[0].cols + e % g.d;
    const Number *m = in_of(c, 1, r) + (size_t)row * c.in[1].cols + i * g.n;
    float chain = 0;
    for (int j = 0; j < g.n; j++) chain = CANON_FMA(m[j], x[j * g.d], chain);
    out_of(c, r)[e] = chain;
}

KERNEL_FN(input, THREADS, Call, c) {
    int r = (int)blockIdx.z, e = thread_index();
    if (e >= c.in[0].rows * c.in[0].cols) return;
    const Groups g = groups_of(c);
    int row = e / c.in[0].cols, j = e % c.in[0].cols / g.d;
    const Number *dy = dout_of(c, r) + (size_t)row * c.out.cols + e % g.d;
    const Number *m = in_of(c, 1, r) + (size_t)row * c.in[1].cols + j;
    float chain = 0;
    for (int i = 0; i < g.m; i++) chain = CANON_FMA(m[i * g.n], dy[i * g.d], chain);
    put(din_of(c, 0, r) + e, chain, c.accumulate[0]);
}

/* A warp for each number of a row's matrix. */
KERNEL_FN(matrix, THREADS, Call, c) {
    const Groups g = groups_of(c);
    int r = (int)blockIdx.z, pairs = g.m * g.n, row = warp_row() / pairs, i = warp_row() % pairs;
    if (row >= c.out.rows) return;
    float dot = row_dot(dout_of(c, r) + (size_t)row * c.out.cols + i / g.n * g.d,
                        in_of(c, 0, r) + (size_t)row * c.in[0].cols + i % g.n * g.d, g.d);
    if (lane_id() == 0) put(din_of(c, 1, r) + ((size_t)row * pairs + i), dot, c.accumulate[1]);
}

static Grid each_input(const Call *c) {
    return c->din[0].at ? grid_of(c, (size_t)c->in[0].rows * (size_t)c->in[0].cols) : no_grid();
}

static Grid each_number(const Call *c) {
    return c->din[1].at ? grid_of_rows(c, (size_t)c->in[1].rows * (size_t)c->in[1].cols) : no_grid();
}

STAGES(mix, {{"mix.forward", BODY(forward, Call), each_element, NULL, TOUCH_in0 | TOUCH_in1 | TOUCH_out, NULL, true}},
       {{"mix.input", BODY(input, Call), each_input, NULL, TOUCH_in1 | TOUCH_dout | TOUCH_din0, NULL, true},
        {"mix.matrix", BODY(matrix, Call), each_number, NULL, TOUCH_in0 | TOUCH_dout | TOUCH_din1, NULL, false}},
       NULL);
