/* y = x + PE(position), x has d columns
 *   PE(p, 2i) = sin(p 10000^(-2i/d))     PE(p, 2i + 1) = cos(p 10000^(-2i/d))
 * dx is dy. */
#include "kernels/rope.h"

#include "kernels/cuda/straight.cuh"

KERNEL_FN(forward, THREADS, Call, c) {
    int r = (int)blockIdx.z, d = c.out.cols, i = thread_index();
    if (i >= c.out.rows * d) return;
    int column = i % d;
    uint64_t turns = (uint64_t)ids(c.in[1], r)[i / d] * rope_frequency(column / 2, d);
    out_of(c, r)[i] = in_of(c, 0, r)[i] + rope_wave(turns, column & 1);
}

STAGES(sinusoid,
       {{"sinusoid.forward", BODY(forward, Call), each_element, NULL, TOUCH_in0 | TOUCH_in1 | TOUCH_out, NULL, true}},
       {{"sinusoid.input", BODY(straight, Call), each_moved, NULL, TOUCH_dout | TOUCH_din0, NULL, true}}, NULL);
