/* y = x W^T + b      x [rows][in], W [out][in], b [out]
 * dx = dy W          dW = dy^T x, a sum over token rows      db = column sums of dy */
#include "kernels/cpu/matmul.h"

static void forward(const Call *c) {
    int in = c->in[0].cols, out = c->out.cols;
    Share rows = call_share(c, c->in[0].rows);
    for (int r = 0; r < c->replicas; r++) {
        Matrix x = {at(c->in[0], r) + (size_t)rows.from * (size_t)in, (size_t)in, 1}, w = {at(c->in[1], r), 1, (size_t)in};
        const real *bias = c->in_count == 3 ? at(c->in[2], r) : NULL;
        SYMBOL(matmul)(at(c->out, r) + (size_t)rows.from * (size_t)out, (size_t)out, x, w, rows.to - rows.from, out, in,
                       bias, false, c->scratch);
    }
}

static void input_gradient(const Call *c, int r) {
    int in = c->in[0].cols, out = c->out.cols;
    Share rows = call_share(c, c->in[0].rows);
    Matrix dy = {at(c->dout, r) + (size_t)rows.from * (size_t)out, (size_t)out, 1}, w = {at(c->in[1], r), (size_t)in, 1};
    SYMBOL(matmul)(at(c->din[0], r) + (size_t)rows.from * (size_t)in, (size_t)in, dy, w, rows.to - rows.from, in, out, NULL,
                   c->accumulate[0], c->scratch);
}

/* dW's rows `outs`, from token rows first..first+count-1. */
static void weight_product(const Call *c, int r, real *dw, Share outs, int first, int count, bool accumulate, void *scratch) {
    size_t in = (size_t)c->in[0].cols, out = (size_t)c->out.cols;
    Matrix dy = {at(c->dout, r) + (size_t)first * out + outs.from, 1, out}, x = {at(c->in[0], r) + (size_t)first * in, in, 1};
    SYMBOL(matmul)(dw, in, dy, x, outs.to - outs.from, (int)in, count, NULL, accumulate, scratch);
}

/* dW of more than one block of rows: each block's product apart, joined as a tree. */
static void weight_gradient_blocks(const Call *c, int r, Share outs) {
    int rows = c->in[0].rows, used = 0, block = 0;
    size_t in = (size_t)c->in[0].cols, width = (size_t)(outs.to - outs.from) * in;
    real *slots = c->scratch, *dw = at(c->din[1], r) + (size_t)outs.from * in;
    char *scratch = (char *)(slots + (size_t)tree_slots(rows) * width);
    for (int first = 0; first < rows; first += CANON_BLOCK, block++) {
        int count = rows - first < CANON_BLOCK ? rows - first : CANON_BLOCK;
        weight_product(c, r, slots + (size_t)used++ * width, outs, first, count, false, scratch);
        used = tree_join(slots, width, used, block);
    }
    const real *total = tree_end(slots, width, used);
    for (size_t i = 0; i < width; i++) put(&dw[i], total[i], c->accumulate[1]);
}

static void bias_gradient(const Call *c, int r, Share outs) {
    int rows = c->out.rows, out = c->out.cols, count = outs.to - outs.from;
    const real *dy = at(c->dout, r) + outs.from, *total;
    real *db = at(c->din[2], r) + outs.from;
    ROWS_REDUCE(rows, count, (real *)c->scratch, total, {
        const real *line = dy + (size_t)row * (size_t)out;
        for (int j = 0; j < count; j++) sum[j] += line[j];
    });
    for (int j = 0; j < count; j++) put(&db[j], total[j], c->accumulate[2]);
}

static void backward(const Call *c) {
    int rows = c->in[0].rows, in = c->in[0].cols;
    Share outs = call_share(c, c->out.cols);
    for (int r = 0; r < c->replicas; r++) {
        if (c->din[0].at) input_gradient(c, r);
        if (c->din[1].at && rows > CANON_BLOCK)
            weight_gradient_blocks(c, r, outs);
        else if (c->din[1].at)
            weight_product(c, r, at(c->din[1], r) + (size_t)outs.from * (size_t)in, outs, 0, rows, c->accumulate[1], c->scratch);
        if (c->in_count == 3 && c->din[2].at) bias_gradient(c, r, outs);
    }
}

static size_t most(size_t a, size_t b) {
    return a > b ? a : b;
}

static size_t scratch(const Call *c) {
    int rows = c->in[0].rows, in = c->in[0].cols, out = c->out.cols;
    size_t need = SYMBOL(matmul_scratch)(rows, out, in);
    need = most(need, SYMBOL(matmul_scratch)(rows, in, out));
    int block = rows < CANON_BLOCK ? rows : CANON_BLOCK;
    size_t slots = rows > CANON_BLOCK ? (size_t)tree_slots(rows) * (size_t)out * (size_t)in * sizeof(real) : 0;
    need = most(need, slots + SYMBOL(matmul_scratch)(out, in, block));
    return most(need, (size_t)tree_slots(rows) * (size_t)out * sizeof(real));
}

KERNEL(linear, forward, backward, scratch);
