/* y = max(x, 0), NaN kept; the slope at 0 is 0. */
#include "kernels/cuda/elementwise.cuh"

ELEMENTWISE(relu, x <= 0 ? 0 : x, (float)(x > 0));
