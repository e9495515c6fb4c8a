/* y = a x + b f with two numbers a and b per replica. With a = b = 1 this is x + f exactly. A file that includes this
 * defines before: Pair factors(const Call *c, int r). */
#ifndef KERNELS_CPU_SUM_H
#define KERNELS_CPU_SUM_H

#include "kernels/cpu/real.h"

typedef struct {
    double a, b;
} Pair;

static inline Pair factors(const Call *c, int r);

/* Compute y = alpha x + beta y in place, if y is f. */
static void add_over(real *restrict y, const real *restrict x, real alpha, real beta, Share all) {
    STREAM(all, READS(x) WRITES(y), y[i] = r_fma(alpha, x[i], beta * y[i]));
}

static void add(real *restrict y, const real *restrict x, const real *restrict f, real alpha, real beta, Share all) {
    STREAM(all, READS(x) READS(f) WRITES(y), y[i] = r_fma(alpha, x[i], beta * f[i]));
}

static void forward(const Call *c) {
    const Share all = call_share(c, view_words(c->out));
    for (int r = 0; r < c->replicas; r++) {
        const Pair by = factors(c, r);
        if (c->out.at == c->in[1].at)
            add_over(at(c->out, r), at(c->in[0], r), (real)by.a, (real)by.b, all);
        else
            add(at(c->out, r), at(c->in[0], r), at(c->in[1], r), (real)by.a, (real)by.b, all);
    }
}

static void scaled(real *restrict dx, const real *restrict dy, real factor, Share all, bool accumulate) {
    for (ptrdiff_t i = all.from; i < all.to; i++) put(&dx[i], factor * dy[i], accumulate);
}

static void backward(const Call *c) {
    const Share all = call_share(c, view_words(c->out));
    for (int r = 0; r < c->replicas; r++) {
        const Pair by = factors(c, r);
        const real factor[2] = {(real)by.a, (real)by.b};
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
            for (ptrdiff_t i = all.from; i < all.to; i++) dy[i] *= factor[0];
    }
}

#endif
