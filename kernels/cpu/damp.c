/* y = x - silu(g) stop_gradient(x) with g one learned number (GPAS, Chen et al. 2025) or alpha: the values are damped,
 * the gradient passes as it is. silu(g) = g s, s = 1 / (1 + exp(-g))
 * dx = dy;  dg = -silu'(g) sum(dy x), silu' = s (1 + g (1 - s)) */
#include "kernels/cpu/elementwise.h"

static inline real sigmoid(real g) {
    return 1 / (1 + r_exp(-g));
}

static inline real slope(real g) {
    const real sig = sigmoid(g);
    return sig * r_fma(g, 1 - sig, 1);
}

static inline real kept(real g) {
    return r_fma(-g, sigmoid(g), 1);
}

static real number(const Call *c, int r) {
    return c->in_count > 1 ? at(c->in[1], r)[0] : (real)c->attr.alpha;
}

static void forward(const Call *c) {
    for (int r = 0; r < c->replicas; r++) {
        const Share all = call_share(c, view_words(c->out));
        const real *restrict x = at(c->in[0], r), keep = kept(number(c, r));
        real *restrict y = at(c->out, r);
        for (ptrdiff_t i = all.from; i < all.to; i++) y[i] = keep * x[i];
    }
}

static void damp_gradient(const Call *c, int r) {
    const int d = c->out.cols;
    const Share mine = call_share(c, 1);
    const int count = mine.to - mine.from;
    const real *x = at(c->in[0], r), *dy = at(c->dout, r), *total, down = -slope(at(c->in[1], r)[0]);
    ROWS_REDUCE(count ? c->out.rows : 0, count, (real *)c->scratch, total, {
        const size_t first = (size_t)row * (size_t)d;
        sum[0] += down * row_dot(x + first, dy + first, d);
    });
    if (count) put(at(c->din[1], r), total[0], c->accumulate[1]);
}

static void backward(const Call *c) {
    for (int r = 0; r < c->replicas; r++) {
        pass_gradient(c, r);
        if (c->din[1].at) damp_gradient(c, r);
    }
}

static size_t scratch(const Call *c) {
    return (size_t)tree_slots(c->out.rows) * sizeof(real);
}

KERNEL(damp, forward, backward, scratch);
