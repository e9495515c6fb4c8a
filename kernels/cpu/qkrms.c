/* [q | k | v] -> [rms(q) gq | rms(k) gk | v], in groups of columns: the head size (per-head norm) or the whole width
 * (OLMo 2). save: 1/rms per group of q, then of k. */
#include "kernels/cpu/rms.h"

static int group_of(const Call *c) {
    return c->attr.group ? c->attr.group : c->in[0].cols / 3;
}

static void forward(const Call *c) {
    int d = c->in[0].cols / 3, n = group_of(c), groups = d / n;
    Share rows = call_share(c, c->in[0].rows);
    for (int r = 0; r < c->replicas; r++)
        for (int row = rows.from; row < rows.to; row++) {
            const real *x = at(c->in[0], r) + (size_t)row * 3 * (size_t)d;
            real *y = at(c->out, r) + (size_t)row * 3 * (size_t)d,
                 *save = at(c->save, r) + (size_t)row * 2 * (size_t)groups;
            for (int s = 0; s < 2 * groups; s++) /* q's groups, then k's: s * n covers both */
                save[s] = rms_forward(y + s * n, x + s * n, at(c->in[s < groups ? 1 : 2], r), n, (real)c->attr.eps);
            memcpy(y + 2 * d, x + 2 * d, (size_t)d * sizeof(real));
        }
}

/* Compute the gradients of q's and k's gains, in this thread's columns of both. */
static void gains(const Call *c, int r) {
    int d = c->in[0].cols / 3, n = group_of(c), groups = d / n;
    Share cols = call_share(c, n);
    int count = cols.to - cols.from;
    const real *x = at(c->in[0], r) + cols.from, *dy = at(c->dout, r) + cols.from, *save = at(c->save, r), *total;
    ROWS_REDUCE(c->in[0].rows, 2 * count, (real *)c->scratch, total, {
        size_t first = (size_t)row * 3 * (size_t)d;
        for (int s = 0; s < 2 * groups; s++)
            rms_gain(sum + (s < groups ? 0 : count), dy + first + s * n, x + first + s * n,
                     save[(size_t)row * 2 * (size_t)groups + (size_t)s], count);
    });
    for (int which = 1; which < 3; which++)
        for (int i = 0; c->din[which].at && i < count; i++)
            put(&at(c->din[which], r)[cols.from + i], total[(which - 1) * count + i], c->accumulate[which]);
}

static void backward(const Call *c) {
    int d = c->in[0].cols / 3, n = group_of(c), groups = d / n;
    Share rows = call_share(c, c->in[0].rows);
    for (int r = 0; r < c->replicas; r++) {
        const real *x0 = at(c->in[0], r), *dy0 = at(c->dout, r), *save0 = at(c->save, r);
        for (int row = rows.from; c->din[0].at && row < rows.to; row++) {
            size_t first = (size_t)row * 3 * (size_t)d;
            const real *save = save0 + (size_t)row * 2 * (size_t)groups;
            real *dx = at(c->din[0], r) + first;
            for (int s = 0; s < 2 * groups; s++)
                rms_backward(dx + s * n, dy0 + first + s * n, x0 + first + s * n, at(c->in[s < groups ? 1 : 2], r),
                             save[s], n, c->accumulate[0]);
            for (int i = 2 * d; i < 3 * d; i++) put(&dx[i], dy0[first + (size_t)i], c->accumulate[0]);
        }
        gains(c, r);
    }
}

static size_t scratch(const Call *c) {
    return (size_t)tree_slots(c->in[0].rows) * 2 * (size_t)group_of(c) * sizeof(real);
}

KERNEL(qkrms, forward, backward, scratch);
