/* gelu in fast precisions whose products have factors narrower than floats (fast.def). */
#include "kernels/cuda/gelu.cuh"

#include "kernels/cuda/elementwise.cuh"

ELEMENTWISE(gelu_fast, gelu_fast_value(x), gelu_fast_slope(x));
