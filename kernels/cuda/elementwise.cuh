/* Kernels for ops whose y(i) depends on x(i) alone. VALUE and SLOPE are written in terms of x; SLOPE is dy/dx,
 * multiplied by the incoming gradient, which dx may be written over (in place). */
#ifndef KERNELS_CUDA_ELEMENTWISE_CUH
#define KERNELS_CUDA_ELEMENTWISE_CUH

#include "kernels/cuda/fours.cuh"

/* Compute y = value(x) for a thread's share. */
template <typename Value>
DEVICE_FN void put_values(const Call &c, int r, Fours here, const Value &value) {
    float x[FOUR];
    read_fours(x, in_of(c, 0, r), here);
#pragma unroll
    for (int i = 0; i < FOUR; i++) x[i] = value(x[i]);
    put_fours(out_of(c, r), x, here, false);
}

/* Compute dx = dy slope(x) for a thread's share. */
template <typename Slope>
DEVICE_FN void put_slopes(const Call &c, int r, Fours here, const Slope &slope) {
    float x[FOUR], d[FOUR];
    read_fours(x, in_of(c, 0, r), here), read_fours(d, dout_of(c, r), here);
#pragma unroll
    for (int i = 0; i < FOUR; i++) d[i] = d[i] * slope(x[i]);
    put_fours(din_of(c, 0, r), d, here, c.accumulate[0]);
}

#define ELEMENTWISE(op, value, slope) \
    KERNEL_FN(forward, THREADS, Call, c) { \
        const int r = (int)blockIdx.z; \
        const Fours here = fours_of(c.out); \
        if (here.exist) put_values(c, r, here, [&](float x) { return (value); }); \
    } \
    KERNEL_FN(backward, THREADS, Call, c) { \
        const int r = (int)blockIdx.z; \
        const Fours here = fours_of(c.out); \
        if (here.exist) put_slopes(c, r, here, [&](float x) { return (void)x, (slope); }); \
    } \
    STAGES(op, {{#op ".forward", BODY(forward, Call), each_four, NULL, TOUCH_in0 | TOUCH_out, NULL, true}}, \
           {{#op ".backward", BODY(backward, Call), each_four_back, NULL, TOUCH_in0 | TOUCH_dout | TOUCH_din0, \
             NULL, true}}, \
           NULL)

#endif
