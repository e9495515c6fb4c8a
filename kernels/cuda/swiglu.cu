/* x = [a | b]: y = silu(a) b, silu(a) = a s, s = 1 / (1 + e^-a)
 * da = dy b s (1 + a (1 - s)),  db = dy silu(a) */
#include "kernels/cuda/device.cuh"

DEVICE_FN float sigmoid(float a) {
    return 1 / (1 + canon_exp(-a));
}

KERNEL_FN(forward, THREADS, Call, c) {
    int r = (int)blockIdx.z, n = c.out.cols, i = thread_index();
    if (i >= c.out.rows * n) return;
    const float *x = at(c.in[0], r) + (size_t)(i / n) * 2 * n + i % n;
    at(c.out, r)[i] = x[0] * sigmoid(x[0]) * x[n];
}

KERNEL_FN(backward, THREADS, Call, c) {
    int r = (int)blockIdx.z, n = c.out.cols, i = thread_index();
    if (i >= c.out.rows * n) return;
    size_t first = (size_t)(i / n) * 2 * n + i % n;
    const float *x = at(c.in[0], r) + first;
    float *dx = at(c.din[0], r) + first, dy = at(c.dout, r)[i], a = x[0], s = sigmoid(a);
    put(&dx[0], dy * x[n] * (s * CANON_FMA(a, 1 - s, 1.0f)), c.accumulate[0]);
    put(&dx[n], dy * (a * s), c.accumulate[0]);
}

STAGES(swiglu, {{"swiglu.forward", BODY(forward, Call), each_element, NULL, TOUCH_in0 | TOUCH_out, NULL, true}},
       {{"swiglu.backward", BODY(backward, Call), each_element_back, NULL, TOUCH_in0 | TOUCH_dout | TOUCH_din0, NULL,
         true}},
       NULL);
