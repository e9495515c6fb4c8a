/* y = (1 - s) x + s n with s = alpha at the first step of a run and beta at the last. */
#include "kernels/cpu/sum.h"

static inline Pair factors(const Call *c, int r) {
    const double s = scalars_between(&c->scalars[r], c->attr.alpha, c->attr.beta);
    return (Pair){1 - s, s};
}

KERNEL(blend, forward, backward, NULL);
