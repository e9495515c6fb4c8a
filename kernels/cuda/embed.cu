/* y = wte[token] + wpe[row mod seq], or without a table of positions wte[token]
 * Gradients are sums over token rows into the two tables' rows: each element of a table is one lane's, which takes its
 * rows in order. */
#include "kernels/cuda/device.cuh"

KERNEL_FN(forward, THREADS, Call, c) {
    int r = (int)blockIdx.z, d = c.out.cols, i = thread_index(), row = i / d, j = i % d;
    if (row >= c.out.rows) return;
    const float *te = at(c.in[1], r) + (size_t)ids(c.in[0], r)[row] * d, *wpe = at(c.in[2], r);
    at(c.out, r)[i] = wpe ? te[j] + wpe[(size_t)(row % c.attr.seq) * d + j] : te[j];
}

/* Pieces of 32 columns of a table's line. */
static inline __host__ __device__ int pieces_of(const Call &c) {
    return (c.out.cols + WARP - 1) / WARP;
}

/* A warp for each piece of a line: 32 rows at a time say whether they are of this line, and
 * those that are add up in order. */
KERNEL_FN(tokens, THREADS, Call, c) {
    int r = (int)blockIdx.z, d = c.out.cols, rows = c.out.rows, line = warp_row() / pieces_of(c);
    int j = warp_row() % pieces_of(c) * WARP + lane_id(), block = 0;
    if (line >= c.din[1].rows) return;
    const int32_t *token = ids(c.in[0], r);
    const float *dy = at(c.dout, r) + (j < d ? j : 0);
    float chain = 0;
    Tree tree;
    for (int from = 0; from < rows; from += WARP) {
        if (from && from % CANON_BLOCK == 0) tree_push(&tree, block++, chain), chain = 0;
        unsigned here = __ballot_sync(ALL_LANES, from + lane_id() < rows && token[from + lane_id()] == line);
        for (; here; here &= here - 1) chain += dy[(size_t)(from + __ffs((int)here) - 1) * d];
    }
    if (block) tree_push(&tree, block, chain), chain = tree_end(&tree, block + 1);
    if (j < d) put(&at(c.din[1], r)[(size_t)line * d + j], chain, c.accumulate[1]);
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
    return c->din[1].at ? grid_of_rows(c, (size_t)c->din[1].rows * (size_t)pieces_of(*c)) : no_grid();
}

static Grid each_position(const Call *c) {
    return c->din[2].at ? grid_of(c, (size_t)c->din[2].rows * (size_t)c->out.cols) : no_grid();
}

STAGES(embed,
       {{"embed.forward", BODY(forward, Call), each_element, NULL, TOUCH_in0 | TOUCH_in1 | TOUCH_in2 | TOUCH_out, NULL,
         true}},
       {{"embed.tokens", BODY(tokens, Call), each_token, NULL, TOUCH_in0 | TOUCH_dout | TOUCH_din1, NULL, false},
        {"embed.positions", BODY(positions, Call), each_position, NULL, TOUCH_dout | TOUCH_din2, NULL, true}},
       NULL);
