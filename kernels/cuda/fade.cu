/* y = f x with f = alpha at the first step of a run and beta at the last. */
#include "kernels/cuda/elementwise.cuh"

#define FACTOR ((float)scalars_between(&c.scalars[r], c.attr.alpha, c.attr.beta))

ELEMENTWISE(fade, FACTOR * x, FACTOR);
