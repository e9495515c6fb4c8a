/* y = x W^T + b      x [rows][in], W [out][in], b [out]
 * dx = dy W          dW = dy^T x, a sum over token rows      db = column sums of dy */
#include <assert.h>

#include "kernels/cpu/matmul.h"

static void forward(const Call *c) {
    int in = c->in[0].cols, out = c->out.cols;
    Share rows = call_share(c, c->in[0].rows);
    for (int r = 0; r < c->replicas; r++) {
        Matrix x = {at(c->in[0], r) + (size_t)rows.from * (size_t)in, (size_t)in, 1},
               w = {at(c->in[1], r), 1, (size_t)in};
        const real *bias = c->in_count == 3 ? at(c->in[2], r) : NULL;
        SYMBOL(matmul)(at(c->out, r) + (size_t)rows.from * (size_t)out, (size_t)out, x, w, rows.to - rows.from, out, in,
                       bias, C_replaced, NULL, c->scratch);
    }
}

static void input_gradient(const Call *c, int r) {
    int in = c->in[0].cols, out = c->out.cols;
    Share rows = call_share(c, c->in[0].rows);
    Matrix dy = {at(c->dout, r) + (size_t)rows.from * (size_t)out, (size_t)out, 1},
           w = {at(c->in[1], r), (size_t)in, 1};
    SYMBOL(matmul)
    (at(c->din[0], r) + (size_t)rows.from * (size_t)in, (size_t)in, dy, w, rows.to - rows.from, in, out, NULL,
     c->accumulate[0] ? C_added : C_replaced, NULL, c->scratch);
}

/* Compute rows `outs` of dW and db: a product for each block of token rows, which also sums dy; blocks are joined as a
 * tree, with db's slots after dW's. A single block writes dW at once. */
static void weight_gradient(const Call *c, int r, Share outs) {
    real *dw = at(c->din[1], r), *db = c->in_count == 3 ? at(c->din[2], r) : NULL, *slots = c->scratch;
    int rows = c->in[0].rows, count = outs.to - outs.from, used = 0, block = 0;
    bool alone = rows <= CANON_BLOCK;
    OldC old = !alone ? C_replaced : c->continues ? C_continued : c->accumulate[1] ? C_added : C_replaced;
    assert(!c->continues || (alone && !db && !c->accumulate[1]));
    size_t in = (size_t)c->in[0].cols, out = (size_t)c->out.cols, ins = dw ? in : 0; /* db alone needs no product */
    size_t area = alone ? 0 : (size_t)count * ins, width = area + (db ? (size_t)count : 0);
    if (dw) dw += (size_t)outs.from * in;
    for (int first = 0; first == 0 || first < rows; first += CANON_BLOCK, block++) {
        int here = rows - first < CANON_BLOCK ? rows - first : CANON_BLOCK;
        Matrix dy = {at(c->dout, r) + (size_t)first * out + outs.from, 1, out};
        Matrix x = {at(c->in[0], r) + (size_t)first * in, in, 1};
        real *slot = slots + (size_t)used++ * width;
        SYMBOL(matmul)(alone ? dw : slot, in, dy, x, count, (int)ins, here, NULL, old, db ? slot + area : NULL,
                       slots + (size_t)tree_slots(rows) * width);
        if (!alone) used = tree_join(slots, width, used, block);
    }
    const real *total = alone ? slots : tree_end(slots, width, used);
    for (size_t i = 0; i < area; i++) put(&dw[i], total[i], c->accumulate[1]);
    for (int i = 0; db && i < count; i++) put(&db[outs.from + i], total[area + (size_t)i], c->accumulate[2]);
}

static void backward(const Call *c) {
    Share outs = call_share(c, c->out.cols);
    for (int r = 0; r < c->replicas; r++) {
        if (c->din[0].at) input_gradient(c, r);
        if (c->din[1].at || (c->in_count == 3 && c->din[2].at)) weight_gradient(c, r, outs);
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
    size_t slots = (size_t)tree_slots(rows) * (size_t)out * (rows > CANON_BLOCK ? (size_t)in + 1 : 1) * sizeof(real);
    return most(need, slots + SYMBOL(matmul_scratch)(out, in, block));
}

KERNEL(linear, forward, backward, scratch);
