/* The device's approximate functions, for precisions that are not exact: PTX does not specify their last bits (PTX ISA,
 * ex2.approx and rcp.approx). Subnormal numbers become 0. The shim rounds correctly. */
#ifndef KERNELS_CUDA_APPROXIMATE_CUH
#define KERNELS_CUDA_APPROXIMATE_CUH

#include "kernels/cuda/device.cuh"

#ifdef __CUDACC__
/* Compute 2^x to two units in the last place. */
DEVICE_FN float power_of_two(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

/* Compute 1 / x to one unit in the last place. */
DEVICE_FN float reciprocal(float x) {
    float y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
#else
DEVICE_FN float flushed(float x) {
    return x < 0x1p-126f && x > -0x1p-126f ? 0 : x;
}

DEVICE_FN float power_of_two(float x) {
    return flushed((float)exp2((double)x));
}

DEVICE_FN float reciprocal(float x) {
    return flushed(1 / x);
}
#endif

#endif
