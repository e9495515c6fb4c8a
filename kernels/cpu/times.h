/* y = f x with one number f per replica; y may be x, dx may be dy. A file that includes this defines before:
 * double factor(const Call *c, int r). */
#ifndef KERNELS_CPU_TIMES_H
#define KERNELS_CPU_TIMES_H

#include "kernels/cpu/elementwise.h"

static inline double factor(const Call *c, int r);

static void forward(const Call *c) {
    const Share all = call_share(c, view_words(c->out));
    for (int r = 0; r < c->replicas; r++) {
        const real f = (real)factor(c, r);
        real *y = at(c->out, r);
        if (c->out.at == c->in[0].at) {
            for (ptrdiff_t i = all.from; i < all.to; i++) y[i] *= f;
        } else {
            const real *restrict x = at(c->in[0], r);
            real *restrict to = y;
            for (ptrdiff_t i = all.from; i < all.to; i++) to[i] = f * x[i];
        }
    }
}

static void backward(const Call *c) {
    ELEMENTWISE_BACKWARD(c, (real)factor(c, r));
}

#endif
