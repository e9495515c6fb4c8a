/* y = (1 - s) x + s n with s = alpha at the first step of a run and beta at the last. */
#include "kernels/cuda/sum.cuh"

DEVICE_FN Pair factors(const Call &c, int r) {
    const double s = scalars_between(&c.scalars[r], c.attr.alpha, c.attr.beta);
    const Pair by = {1 - s, s};
    return by;
}

SUM(blend);
