/* y = wte[token] + wpe[row mod seq], or without a table of positions wte[token]
 * Gradients are sums over token rows into the two tables' rows. */
#include "kernels/cpu/real.h"

static void forward(const Call *c) {
    int d = c->out.cols;
    Share rows = call_share(c, c->out.rows);
    for (int r = 0; r < c->replicas; r++) {
        const int32_t *token = ids(c->in[0], r);
        const real *wte = at(c->in[1], r), *wpe = at(c->in[2], r);
        real *y = at(c->out, r);
        for (int row = rows.from; row < rows.to; row++) {
            const real *te = wte + (size_t)token[row] * (size_t)d;
            real *line = writing(y + (size_t)row * (size_t)d, d);
            if (!wpe) {
                memcpy(line, te, (size_t)d * sizeof *line);
                continue;
            }
            const real *pe = wpe + (size_t)(row % c->attr.seq) * (size_t)d;
            for (int j = 0; j < d; j++) line[j] = te[j] + pe[j];
        }
    }
}

/* Add dy[row] to dtable[line of row], rows ascending inside blocks, blocks joined as a tree, in this thread's columns.
 * token NULL: the table of positions. */
static void scatter(const Call *c, int r, int input, const int32_t *token) {
    Share cols = call_share(c, c->out.cols);
    size_t d = (size_t)c->out.cols, count = (size_t)(cols.to - cols.from), lines = (size_t)c->din[input].rows;
    const real *dy = at(c->dout, r) + cols.from, *total;
    real *dtable = at(c->din[input], r) + cols.from;
    ROWS_REDUCE(c->out.rows, lines * count, (real *)c->scratch, total, {
        real *line = sum + (size_t)(token ? token[row] : row % c->attr.seq) * count;
        const real *from = reading(dy + (size_t)row * d, (int)count);
        for (size_t j = 0; j < count; j++) line[j] += from[j];
    });
    for (size_t i = 0; i < lines; i++)
        for (size_t j = 0; j < count; j++) put(&dtable[i * d + j], total[i * count + j], c->accumulate[input]);
}

static void backward(const Call *c) {
    for (int r = 0; r < c->replicas; r++) {
        if (c->din[1].at) scatter(c, r, 1, ids(c->in[0], r));
        if (c->din[2].at) scatter(c, r, 2, NULL);
    }
}

static size_t scratch(const Call *c) {
    int lines = c->in[1].rows > c->in[2].rows ? c->in[1].rows : c->in[2].rows;
    return (size_t)tree_slots(c->out.rows) * (size_t)lines * (size_t)c->out.cols * sizeof(real);
}

KERNEL(embed, forward, backward, scratch);
