/* y = alpha x */
#include "kernels/cuda/elementwise.cuh"

ELEMENTWISE(scale, (float)c.attr.alpha * x, (float)c.attr.alpha);
