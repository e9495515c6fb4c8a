/* Kernels for ops whose y(i) depends on x(i) alone. VALUE and SLOPE are written in terms of x; SLOPE is dy/dx,
 * multiplied by the incoming gradient, which dx may be written over (in place). */
#ifndef KERNELS_CUDA_ELEMENTWISE_CUH
#define KERNELS_CUDA_ELEMENTWISE_CUH

#include "kernels/cuda/fours.cuh"

#define ELEMENTWISE(op, value, slope) \
    KERNEL_FN(forward, THREADS, Call, c) { \
        const int r = (int)blockIdx.z; \
        const Fours here = fours_of(c.out); \
        float xs[FOUR], ys[FOUR]; \
        if (!here.exist) return; \
        read_fours(xs, at(c.in[0], r), here); \
        _Pragma("unroll") for (int i = 0; i < FOUR; i++) { \
            const float x = xs[i]; \
            ys[i] = (value); \
        } \
        put_fours(at(c.out, r), ys, here, false); \
    } \
    KERNEL_FN(backward, THREADS, Call, c) { \
        const int r = (int)blockIdx.z; \
        const Fours here = fours_of(c.out); \
        float xs[FOUR], ys[FOUR]; \
        if (!here.exist) return; \
        read_fours(xs, at(c.in[0], r), here), read_fours(ys, at(c.dout, r), here); \
        _Pragma("unroll") for (int i = 0; i < FOUR; i++) { \
            const float x = xs[i]; \
            (void)x; \
            ys[i] = ys[i] * (slope); \
        } \
        put_fours(at(c.din[0], r), ys, here, c.accumulate[0]); \
    } \
    STAGES(op, {{#op ".forward", BODY(forward, Call), each_four, NULL, TOUCH_in0 | TOUCH_out, NULL, true}}, \
           {{#op ".backward", BODY(backward, Call), each_four_back, NULL, TOUCH_in0 | TOUCH_dout | TOUCH_din0, \
             NULL, true}}, \
           NULL)

#endif
