/* x = n groups of columns (residual streams), y = m of them: y_i = sum_j m_ij x_j, a chain over ascending j.
 * dx_j = sum_i m_ij dy_i, over ascending i;  dm_ij = sum over rows of dy_i . x_j */
#include "kernels/cuda/chain.cuh"
#include "kernels/cuda/groups.cuh"

KERNEL_FN(forward, THREADS, Call, c) {
    int r = (int)blockIdx.z, e = thread_index();
    if (e >= c.out.rows * c.out.cols) return;
    const Groups g = groups_of(c);
    int row = e / c.out.cols, i = e % c.out.cols / g.d;
    const Number *x = in_of(c, 0, r) + (size_t)row * c.in[0].cols + e % g.d, *w = in_of(c, 1, r) + i * g.n;
    float chain = 0;
    for (int j = 0; j < g.n; j++) chain = CANON_FMA(w[j], x[j * g.d], chain);
    out_of(c, r)[e] = chain;
}

KERNEL_FN(input, THREADS, Call, c) {
    int r = (int)blockIdx.z, e = thread_index();
    if (e >= c.in[0].rows * c.in[0].cols) return;
    const Groups g = groups_of(c);
    int row = e / c.in[0].cols, j = e % c.in[0].cols / g.d;
    const Number *dy = dout_of(c, r) + (size_t)row * c.out.cols + e % g.d, *w = in_of(c, 1, r) + j;
    float chain = 0;
    for (int i = 0; i < g.m; i++) chain = CANON_FMA(w[i * g.n], dy[i * g.d], chain);
    put(din_of(c, 0, r) + e, chain, c.accumulate[0]);
}

/* Compute a row's dot product for each pair of groups, one per warp; one chain over the rows for each pair follows. */
KERNEL_FN(dots, THREADS, Call, c) {
    const Groups g = groups_of(c);
    int r = (int)blockIdx.z, pairs = g.m * g.n, row = warp_row() / pairs, k = warp_row() % pairs;
    if (row >= c.out.rows) return;
    float dot = row_dot(dout_of(c, r) + (size_t)row * c.out.cols + k / g.n * g.d,
                        in_of(c, 0, r) + (size_t)row * c.in[0].cols + k % g.n * g.d, g.d);
    if (lane_id() == 0) ((float *)c.scratch)[((size_t)r * pairs + k) * c.out.rows + row] = dot;
}

KERNEL_FN(matrix, THREADS, Call, c) {
    int r = (int)blockIdx.z, pairs = c.in[1].cols, k = (int)blockIdx.x;
    float total = chain_sum((const float *)c.scratch + ((size_t)r * pairs + k) * c.out.rows, c.out.rows);
    if (threadIdx.x == 0) put(at(c.din[1], r) + k, total, c.accumulate[1]);
}

static Grid each_input(const Call *c) {
    return c->din[0].at ? grid_of(c, (size_t)c->in[0].rows * (size_t)c->in[0].cols) : no_grid();
}

static Grid each_dot(const Call *c) {
    return c->din[1].at ? grid_of_rows(c, (size_t)c->out.rows * (size_t)c->in[1].cols) : no_grid();
}

static Grid each_pair(const Call *c) {
    return c->din[1].at ? grid_of(c, (size_t)c->in[1].cols * THREADS) : no_grid();
}

static size_t scratch(const Call *c) {
    return (size_t)c->replicas * (size_t)c->out.rows * (size_t)c->in[1].cols * sizeof(float);
}

static double scratch_bytes(const Call *c) {
    return 4.0 * c->out.rows * c->in[1].cols;
}

STAGES(streams,
       {{"streams.forward", BODY(forward, Call), each_element, NULL, TOUCH_in0 | TOUCH_in1 | TOUCH_out, NULL, true}},
       {{"streams.input", BODY(input, Call), each_input, NULL, TOUCH_in1 | TOUCH_dout | TOUCH_din0, NULL, true},
        {"streams.dots", BODY(dots, Call), each_dot, NULL, TOUCH_in0 | TOUCH_dout, scratch_bytes, false},
        {"streams.matrix", BODY(matrix, Call), each_pair, NULL, TOUCH_din1, scratch_bytes, false}},
       scratch);
