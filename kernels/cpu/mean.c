/* y = (sum over rows) / count, count the replica's device scalar: padding rows are 0 and not counted. */
#include "kernels/cpu/real.h"

static void forward(const Call *c) {
    for (int r = 0; r < c->replicas; r++) {
        const real *x = at(c->in[0], r), *total;
        ROWS_REDUCE(c->in[0].rows, 1, (real *)c->scratch, total, sum[0] += x[row]);
        at(c->out, r)[0] = total[0] / (real)c->scalars[r].count;
    }
}

static void backward(const Call *c) {
    for (int r = 0; c->din[0].at && r < c->replicas; r++) {
        real each = at(c->dout, r)[0] / (real)c->scalars[r].count;
        for (int row = 0; row < c->in[0].rows; row++) put(&at(c->din[0], r)[row], each, c->accumulate[0]);
    }
}

static size_t scratch(const Call *c) {
    return (size_t)tree_slots(c->in[0].rows) * sizeof(real);
}

KERNEL(mean, forward, backward, scratch);
