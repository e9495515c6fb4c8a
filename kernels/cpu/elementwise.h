/* Loops over every element of every replica, for ops whose y(i) depends on x(i) alone. VALUE and SLOPE are written in
 * terms of x[i]; SLOPE is dy/dx, multiplied by the incoming gradient, which dx may be written over (in place). */
#ifndef KERNELS_CPU_ELEMENTWISE_H
#define KERNELS_CPU_ELEMENTWISE_H

#include "kernels/cpu/real.h"

/* Copy dx = dy of one replica; in place (din[0] is dout) nothing is written. */
static inline void pass_gradient(const Call *c, int r) {
    const Share all = call_share(c, view_words(c->out));
    const real *dy = at(c->dout, r);
    real *dx = at(c->din[0], r);
    for (ptrdiff_t i = all.from; dx && dx != dy && i < all.to; i++) put(&dx[i], dy[i], c->accumulate[0]);
}

#define ELEMENTWISE_FORWARD(c, value) \
    for (int r = 0; r < (c)->replicas; r++) { \
        const real *restrict x = at((c)->in[0], r); \
        real *restrict y = at((c)->out, r); \
        const Share all = call_share(c, view_words((c)->out)); \
        for (ptrdiff_t i = all.from; i < all.to; i++) y[i] = (value); \
    }

#define ELEMENTWISE_BACKWARD(c, slope) \
    for (int r = 0; (c)->din[0].at && r < (c)->replicas; r++) { \
        const real *restrict x = at((c)->in[0], r); \
        const Share all = call_share(c, view_words((c)->out)); \
        real *const dx = at((c)->din[0], r), *const dy = at((c)->dout, r); \
        (void)x; \
        if (dx == dy) \
            for (ptrdiff_t i = all.from; i < all.to; i++) dx[i] *= (slope); \
        else { \
            real *restrict to = dx; \
            const real *restrict from = dy; \
            if ((c)->accumulate[0]) \
                for (ptrdiff_t i = all.from; i < all.to; i++) to[i] += from[i] * (slope); \
            else \
                for (ptrdiff_t i = all.from; i < all.to; i++) to[i] = from[i] * (slope); \
        } \
    }

#endif
