/* y = a x + b f with two numbers a and b per replica. With a = b = 1 this is x + f exactly. A file that includes this
 * defines before: Pair factors(const Call &c, int r). */
#ifndef KERNELS_CUDA_SUM_CUH
#define KERNELS_CUDA_SUM_CUH

#include "kernels/cuda/device.cuh"

typedef struct {
    double a, b;
} Pair;

DEVICE_FN Pair factors(const Call &c, int r);

KERNEL_FN(forward, THREADS, Call, c) {
    int r = (int)blockIdx.z, i = thread_index();
    if (i >= c.out.rows * c.out.cols) return;
    const Pair by = factors(c, r);
    at(c.out, r)[i] = CANON_FMA((float)by.a, at(c.in[0], r)[i], (float)by.b * at(c.in[1], r)[i]);
}

/* dx of input 0 may be written in place of dy: dy is read before either gradient is written. */
KERNEL_FN(backward, THREADS, Call, c) {
    int r = (int)blockIdx.z, i = thread_index();
    if (i >= c.out.rows * c.out.cols) return;
    const Pair by = factors(c, r);
    const float dy = at(c.dout, r)[i], factor[2] = {(float)by.a, (float)by.b};
    for (int which = 0; which < 2; which++) {
        float *dx = at(c.din[which], r);
        if (dx) put(&dx[i], factor[which] * dy, c.accumulate[which]);
    }
}

static Grid back(const Call *c) {
    return c->din[0].at || c->din[1].at ? each_element(c) : no_grid();
}

#define SUM(op) \
    STAGES(op, \
           {{#op ".forward", BODY(forward, Call), each_element, NULL, TOUCH_in0 | TOUCH_in1 | TOUCH_out, NULL, true}}, \
           {{#op ".backward", BODY(backward, Call), back, NULL, TOUCH_dout | TOUCH_din0 | TOUCH_din1, NULL, true}}, \
           NULL)

#endif
