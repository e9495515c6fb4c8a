/* What precisions that are not exact take of the device's own functions, whose results are not told to the last bit
 * (PTX ISA, ex2.approx and rcp.approx). What is subnormal becomes 0. On the shim they are rounded correctly. */
#ifndef KERNELS_CUDA_APPROXIMATE_CUH
#define KERNELS_CUDA_APPROXIMATE_CUH

#include "kernels/cuda/device.cuh"

#ifdef __CUDACC__
/* 2^x, off by two units in the last place at most. */
DEVICE_FN float power_of_two(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

/* 1 / x, off by one unit in the last place at most. */
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
