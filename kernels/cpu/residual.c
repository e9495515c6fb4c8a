/* y = alpha x + beta f. With alpha = beta = 1 this is x + f exactly. */
#include "kernels/cpu/real.h"

/* In place: y is f. */
static void add_over(real *restrict y, const real *restrict x, real alpha, real beta, Share all) {
    STREAM(all, READS(x) WRITES(y), y[i] = r_fma(alpha, x[i], beta * y[i]));
}

static void add(real *restrict y, const real *restrict x, const real *restrict f, real alpha, real beta, Share all) {
    STREAM(all, READS(x) READS(f) WRITES(y), y[i] = r_fma(alpha, x[i], beta * f[i]));
}

static void forward(const Call *c) {
    const real alpha = (real)c->attr.alpha, beta = (real)c->attr.beta;
    const Share all = call_share(c, c->out.rows * c->out.cols);
    for (int r = 0; r < c->replicas; r++) {
        if (c->out.at == c->in[1].at)
            add_over(at(c->out, r), at(c->in[0], r), alpha, beta, all);
        else
            add(at(c->out, r), at(c->in[0], r), at(c->in[1], r), alpha, beta, all);
    }
}

static void scaled(real *restrict dx, const real *restrict dy, real factor, Share all, bool accumulate) {
    for (int i = all.from; i < all.to; i++) put(&dx[i], factor * dy[i], accumulate);
}

static void backward(const Call *c) {
    const real factor[2] = {(real)c->attr.alpha, (real)c->attr.beta};
    const Share all = call_share(c, c->out.rows * c->out.cols);
    for (int r = 0; r < c->replicas; r++) {
        real *dy = at(c->dout, r);
        /* dx of input 0 may be written in place of dy: then it comes last, and is there
         * already when its factor is 1. */
        bool over = at(c->din[0], r) == dy;
        for (int k = 0; k < 2; k++) {
            int which = over ? 1 - k : k;
            real *dx = at(c->din[which], r);
            if (dx && dx != dy) scaled(dx, dy, factor[which], all, c->accumulate[which]);
        }
        if (over && factor[0] != 1)
            for (int i = all.from; i < all.to; i++) dy[i] *= factor[0];
    }
}

KERNEL(residual, forward, backward, NULL);
