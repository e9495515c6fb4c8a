/* y = alpha x + beta f. With alpha = beta = 1 this is x + f exactly. */
#include "kernels/cuda/device.cuh"

KERNEL_FN(forward, THREADS, Call, c) {
    int r = (int)blockIdx.z, i = thread_index();
    if (i >= c.out.rows * c.out.cols) return;
    at(c.out, r)[i] = CANON_FMA((float)c.attr.alpha, at(c.in[0], r)[i], (float)c.attr.beta * at(c.in[1], r)[i]);
}

/* dx of input 0 may be written in place of dy: dy is read before either gradient is written. */
KERNEL_FN(backward, THREADS, Call, c) {
    int r = (int)blockIdx.z, i = thread_index();
    if (i >= c.out.rows * c.out.cols) return;
    const float dy = at(c.dout, r)[i], factor[2] = {(float)c.attr.alpha, (float)c.attr.beta};
    for (int which = 0; which < 2; which++) {
        float *dx = at(c.din[which], r);
        if (dx) put(&dx[i], factor[which] * dy, c.accumulate[which]);
    }
}

static Grid back(const Call *c) {
    return c->din[0].at || c->din[1].at ? each_element(c) : no_grid();
}

STAGES(residual,
       {{"residual.forward", BODY(forward, Call), each_element, NULL, TOUCH_in0 | TOUCH_in1 | TOUCH_out, NULL, true}},
       {{"residual.backward", BODY(backward, Call), back, NULL, TOUCH_dout | TOUCH_din0 | TOUCH_din1, NULL, true}},
       NULL);
