/* y = f x with f = alpha at the first step of a run and beta at the last. */
#include "kernels/cpu/times.h"

static inline double factor(const Call *c, int r) {
    return scalars_between(&c->scalars[r], c->attr.alpha, c->attr.beta);
}

KERNEL(fade, forward, backward, NULL);
