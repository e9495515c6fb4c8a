/* y = alpha x + beta f */
#include "kernels/cpu/sum.h"

static inline Pair factors(const Call *c, int r) {
    (void)r;
    return (Pair){c->attr.alpha, c->attr.beta};
}

KERNEL(residual, forward, backward, NULL);
