/* y = g x / sqrt(mean(x^2) + eps), in groups (Zhang and Sennrich 2019). save: 1/rms in the first column of each pair. */
#include "kernels/cpu/rms.h"

static int width_of(const Call *c) {
    return c->attr.group ? c->attr.group : c->in[0].cols;
}

static void forward(const Call *c) {
    int n = width_of(c);
    Share lines = call_share(c, c->in[0].rows * (c->in[0].cols / n));
    for (int r = 0; r < c->replicas; r++)
        for (int line = lines.from; line < lines.to; line++) {
            size_t first = (size_t)line * (size_t)n;
            real inverse =
                rms_forward(at(c->out, r) + first, at(c->in[0], r) + first, at(c->in[1], r), n, (real)c->attr.eps);
            at(c->save, r)[2 * line + 1] = inverse;
        }
}

static void backward(const Call *c) {
    int n = width_of(c), lines = c->in[0].rows * (c->in[0].cols / n);
    Share mine = call_share(c, lines), cols = call_share(c, n);
    int count = cols.to - cols.from;
    for (int r = 0; r < c->replicas; r++) {
        const real *x = at(c->in[0], r), *g = at(c->in[1], r), *dy = at(c->dout, r), *save = at(c->save, r), *total;
        for (int line = mine.from; c->din[0].at && line < mine.to; line++) {
            size_t first = (size_t)line * (size_t)n;
            rms_backward(at(c->din[0], r) + first, dy + first, x + first, g, save[2 * line + 1], n, c->accumulate[0]);
        }
        if (!c->din[1].at) continue;
        dy += cols.from, x += cols.from;
        ROWS_REDUCE(lines, count, (real *)c->scratch, total,
                    rms_gain(sum, dy + (size_t)row * (size_t)n, x + (size_t)row * (size_t)n, save[2 * row + 1], count));
        for (int i = 0; i < count; i++) put(&at(c->din[1], r)[cols.from + i], total[i], c->accumulate[1]);
    }
}

static size_t scratch(const Call *c) {
    int n = width_of(c);
    return (size_t)tree_slots(c->in[0].rows * (c->in[0].cols / n)) * (size_t)n * sizeof(real);
}

KERNEL(rmsnorm, forward, backward, scratch);
