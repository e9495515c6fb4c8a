/* y = wte[token] + wpe[row mod seq]
 * Gradients are sums over token rows into the two tables' rows: each element of a table is one thread that looks for its
 * rows in order. */
#include "kernels/cuda/device.cuh"

KERNEL_FN(forward, THREADS, Call, c) {
    int r = (int)blockIdx.z, d = c.out.cols, i = thread_index(), row = i / d, j = i % d;
    if (row >= c.out.rows) return;
    const float *te = at(c.in[1], r) + (size_t)ids(c.in[0], r)[row] * d, *pe = at(c.in[2], r) + (size_t)(row % c.attr.seq) * d;
    at(c.out, r)[i] = te[j] + pe[j];
}

KERNEL_FN(tokens, THREADS, Call, c) {
    int r = (int)blockIdx.z, d = c.out.cols, i = thread_index(), line = i / d, j = i % d;
    if (line >= c.din[1].rows) return;
    const int32_t *token = ids(c.in[0], r);
    const float *dy = at(c.dout, r);
    float total;
    ROWS_REDUCE(c.out.rows, total, if (token[row] == line) chain += dy[(size_t)row * d + j]);
    put(&at(c.din[1], r)[i], total, c.accumulate[1]);
}

KERNEL_FN(positions, THREADS, Call, c) {
    int r = (int)blockIdx.z, d = c.out.cols, i = thread_index(), line = i / d, j = i % d;
    if (line >= c.din[2].rows) return;
    const float *dy = at(c.dout, r);
    Tree tree;
    int blocks = (c.out.rows + CANON_BLOCK - 1) / CANON_BLOCK, row = line;
    for (int b = 0; b < blocks; b++) {
        float chain = 0;
        int end = c.out.rows < (b + 1) * CANON_BLOCK ? c.out.rows : (b + 1) * CANON_BLOCK;
        for (; row < end; row += c.attr.seq) chain += dy[(size_t)row * d + j];
        tree_push(&tree, b, chain);
    }
    put(&at(c.din[2], r)[i], tree_end(&tree, blocks), c.accumulate[2]);
}

static Grid each_token(const Call *c) {
    return c->din[1].at ? grid_of(c, (size_t)c->din[1].rows * (size_t)c->out.cols) : no_grid();
}

static Grid each_position(const Call *c) {
    return c->din[2].at ? grid_of(c, (size_t)c->din[2].rows * (size_t)c->out.cols) : no_grid();
}

STAGES(embed, {{"embed.forward", BODY(forward, Call), each_element, NULL, TOUCH_in0 | TOUCH_in1 | TOUCH_in2 | TOUCH_out, NULL, true}},
       {{"embed.tokens", BODY(tokens, Call), each_token, NULL, TOUCH_in0 | TOUCH_dout | TOUCH_din1, NULL, true},
        {"embed.positions", BODY(positions, Call), each_position, NULL, TOUCH_dout | TOUCH_din2, NULL, true}},
       NULL);
