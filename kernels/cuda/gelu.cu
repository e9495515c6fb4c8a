#include "kernels/cuda/gelu.cuh"

#include "kernels/cuda/elementwise.cuh"

ELEMENTWISE(gelu, gelu_value(x), gelu_slope(x));
