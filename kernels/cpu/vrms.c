/* [q | k | v] -> [q | k | rms(v) g], in groups of columns: the head size (per-head norm) or the whole width.
 * save: 1/rms per group. */
#include "kernels/cpu/rms.h"

static int group_of(const Call *c) {
    return c->attr.group ? c->attr.group : c->in[0].cols / 3;
}

static void forward(const Call *c) {
    const int d = c->in[0].cols / 3, n = group_of(c), groups = d / n;
    const Share rows = call_share(c, c->in[0].rows);
    for (int r = 0; r < c->replicas; r++)
        for (int row = rows.from; row < rows.to; row++) {
            const size_t first = (size_t)row * 3 * (size_t)d;
            const real *x = at(c->in[0], r) + first;
            real *y = at(c->out, r) + first, *save = at(c->save, r) + (size_t)row * (size_t)groups;
            memcpy(y, x, 2 * (size_t)d * sizeof(real));
            for (int s = 0; s < groups; s++)
                save[s] = rms_forward(y + 2 * d + s * n, x + 2 * d + s * n, at(c->in[1], r), n, (real)c->attr.eps);
        }
}

/* Compute the gain's gradient in this thread's columns. */
static void gain(const Call *c, int r) {
    const int d = c->in[0].cols / 3, n = group_of(c), groups = d / n;
    const Share cols = call_share(c, n);
    const int count = cols.to - cols.from;
    const real *x = at(c->in[0], r) + cols.from, *dy = at(c->dout, r) + cols.from, *save = at(c->save, r), *total;
    ROWS_REDUCE(c->in[0].rows, count, (real *)c->scratch, total, {
        const size_t first = (size_t)row * 3 * (size_t)d + 2 * (size_t)d;
        for (int s = 0; s < groups; s++)
            rms_gain(sum, dy + first + s * n, x + first + s * n, save[(size_t)row * (size_t)groups + (size_t)s], count);
    });
    for (int i = 0; i < count; i++) put(&at(c->din[1], r)[cols.from + i], total[i], c->accumulate[1]);
}

static void backward(const Call *c) {
    const int d = c->in[0].cols / 3, n = group_of(c), groups = d / n;
    const Share rows = call_share(c, c->in[0].rows);
    for (int r = 0; r < c->replicas; r++) {
        for (int row = rows.from; c->din[0].at && row < rows.to; row++) {
            const size_t first = (size_t)row * 3 * (size_t)d;
            const real *save = at(c->save, r) + (size_t)row * (size_t)groups;
            const real *x = at(c->in[0], r) + first, *dy = at(c->dout, r) + first;
            real *dx = at(c->din[0], r) + first;
            for (int i = 0; i < 2 * d; i++) put(&dx[i], dy[i], c->accumulate[0]);
            for (int s = 0, e = 2 * d; s < groups; s++, e += n)
                rms_backward(dx + e, dy + e, x + e, at(c->in[1], r), save[s], n, c->accumulate[0]);
        }
        if (c->din[1].at) gain(c, r);
    }
}

static size_t scratch(const Call *c) {
    return (size_t)tree_slots(c->in[0].rows) * (size_t)group_of(c) * sizeof(real);
}

KERNEL(vrms, forward, backward, scratch);
