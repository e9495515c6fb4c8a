/* y = x keep / (1 - p). Element e of step s is kept when Philox(seed, stream, s 2^40 + e) >= p 2^32; backward draws the
 * same words again, so no mask is stored. With drop_below = 0 (p = 0, or evaluation) y = x. */
#include "base/philox.h"
#include "kernels/cpu/real.h"

static void mask(const Call *c, int r, View from, View to, bool accumulate) {
    const Scalars *s = &c->scalars[r];
    const real *x = at(from, r), keep = (real)s->drop_scale;
    real *y = at(to, r);
    size_t n = (size_t)c->out.rows * (size_t)c->out.cols;
    for (size_t e = 0; e < n; e += 4) {
        uint32_t word[4];
        if (s->drop_below) philox_block(word, s->seed, c->attr.stream, philox_offset(s->step, e) >> 2);
        for (size_t i = 0; i < 4 && e + i < n; i++) {
            real factor = !s->drop_below ? 1 : word[i] >= s->drop_below ? keep : 0;
            put(&y[e + i], x[e + i] * factor, accumulate);
        }
    }
}

static void forward(const Call *c) {
    for (int r = 0; r < c->replicas; r++) mask(c, r, c->in[0], c->out, false);
}

static void backward(const Call *c) {
    for (int r = 0; c->din[0].at && r < c->replicas; r++) mask(c, r, c->dout, c->din[0], c->accumulate[0]);
}

KERNEL(dropout, forward, backward, NULL);
