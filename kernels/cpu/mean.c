/* y = (sum over rows) / count, count the replica's device scalar: padding rows are 0 and not counted. */
#include "kernels/cpu/real.h"

static void forward(const Call *c) {
    Share one = call_share(c, 1);
    for (int r = 0; one.from < one.to && r < c->replicas; r++) {
        const real *x = at(c->in[0], r), *total;
        ROWS_REDUCE(c->in[0].rows, 1, (real *)c->scratch, total, sum[0] += x[row]);
        at(c->out, r)[0] = total[0] / (real)c->scalars[r].count;
    }
}

static void backward(const Call *c) {
    Share rows = call_share(c, c->in[0].rows);
    for (int r = 0; c->din[0].at && r < c->replicas; r++) {
        real each = at(c->dout, r)[0] / (real)c->scalars[r].count;
        for (int row = rows.from; row < rows.to; row++) put(&at(c->din[0], r)[row], each, c->accumulate[0]);
    }
}

static size_t scratch(const Call *c) {
    return (size_t)tree_slots(c->in[0].rows) * sizeof(real);
}

KERNEL(mean, forward, backward, scratch);
