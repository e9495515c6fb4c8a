/* y = g x / sqrt(mean(x^2) + eps), in groups (Zhang and Sennrich 2019). save: 1/rms in
 * the second column of each pair. */
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

/* One loop over the lines, so that each is read from memory once: dx of this thread's
 * lines, the gain of its columns. */
static void backward(const Call *c) {
    const int n = width_of(c), lines = c->in[0].rows * (c->in[0].cols / n);
    const Share mine = call_share(c, lines), cols = call_share(c, n);
    const int count = c->din[1].at ? cols.to - cols.from : 0;
    for (int r = 0; r < c->replicas; r++) {
        const real *x = at(c->in[0], r), *g = at(c->in[1], r), *dy = at(c->dout, r), *save = at(c->save, r), *total;
        real *dx = at(c->din[0], r);
        ROWS_REDUCE(lines, count, (real *)c->scratch, total, {
            const size_t first = (size_t)row * (size_t)n, part = first + (size_t)cols.from;
            const real inverse = save[2 * row + 1];
            if (dx && row >= mine.from && row < mine.to)
                rms_backward(dx + first, dy + first, x + first, g, inverse, n, c->accumulate[0]);
            rms_gain(sum, dy + part, x + part, inverse, count);
        });
        for (int i = 0; i < count; i++) put(&at(c->din[1], r)[cols.from + i], total[i], c->accumulate[1]);
    }
}

static size_t scratch(const Call *c) {
    int n = width_of(c);
    return (size_t)tree_slots(c->in[0].rows * (c->in[0].cols / n)) * (size_t)n * sizeof(real);
}

KERNEL(rmsnorm, forward, backward, scratch);
