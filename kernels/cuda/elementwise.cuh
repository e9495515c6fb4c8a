/* Kernels for ops whose y(i) depends on x(i) alone. VALUE and SLOPE are written in terms of x; SLOPE is dy/dx,
 * multiplied by the incoming gradient, which dx may be written over (in place). */
#ifndef KERNELS_CUDA_ELEMENTWISE_CUH
#define KERNELS_CUDA_ELEMENTWISE_CUH

#include "kernels/cuda/device.cuh"

#define ELEMENTWISE(op, value, slope) \
    KERNEL_FN(forward, THREADS, Call, c) { \
        int r = (int)blockIdx.z, i = thread_index(); \
        if (i >= c.out.rows * c.out.cols) return; \
        const float x = at(c.in[0], r)[i]; \
        at(c.out, r)[i] = (value); \
    } \
    KERNEL_FN(backward, THREADS, Call, c) { \
        int r = (int)blockIdx.z, i = thread_index(); \
        if (i >= c.out.rows * c.out.cols) return; \
        const float x = at(c.in[0], r)[i]; \
        (void)x; \
        put(&at(c.din[0], r)[i], at(c.dout, r)[i] * (slope), c.accumulate[0]); \
    } \
    STAGES(op, {{#op ".forward", BODY(forward, Call), each_element, NULL, TOUCH_in0 | TOUCH_out, NULL, true}}, \
           {{#op ".backward", BODY(backward, Call), each_element_back, NULL, TOUCH_in0 | TOUCH_dout | TOUCH_din0, \
             NULL, true}}, \
           NULL)

#endif
