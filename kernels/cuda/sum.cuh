/* y = a x + b f with two numbers a and b per replica. With a = b = 1 this is x + f exactly. A file that includes this
 * defines before: Pair factors(const Call &c, int r). */
#ifndef KERNELS_CUDA_SUM_CUH
#define KERNELS_CUDA_SUM_CUH

#include "kernels/cuda/fours.cuh"

typedef struct {
    double a, b;
} Pair;

DEVICE_FN Pair factors(const Call &c, int r);

KERNEL_FN(forward, THREADS, Call, c) {
    const int r = (int)blockIdx.z;
    const Fours here = fours_of(c.out);
    float x[FOUR], f[FOUR];
    if (!here.exist) return;
    const Pair by = factors(c, r);
    read_fours(x, in_of(c, 0, r), here), read_fours(f, in_of(c, 1, r), here);
#pragma unroll
    for (int i = 0; i < FOUR; i++) x[i] = CANON_FMA((float)by.a, x[i], (float)by.b * f[i]);
    put_fours(out_of(c, r), x, here, false);
}

/* Read dy before writing either gradient: dx of input 0 may be written over dy. */
KERNEL_FN(backward, THREADS, Call, c) {
    const int r = (int)blockIdx.z;
    const Fours here = fours_of(c.out);
    float dy[FOUR], dx[FOUR];
    if (!here.exist) return;
    const Pair by = factors(c, r);
    const float factor[2] = {(float)by.a, (float)by.b};
    read_fours(dy, dout_of(c, r), here);
#pragma unroll
    for (int which = 0; which < 2; which++) {
        if (!c.din[which].at) continue;
#pragma unroll
        for (int i = 0; i < FOUR; i++) dx[i] = factor[which] * dy[i];
        put_fours(din_of(c, which, r), dx, here, c.accumulate[which]);
    }
}

static Grid back(const Call *c) {
    return c->din[0].at || c->din[1].at ? each_four(c) : no_grid();
}

#define SUM(op) \
    STAGES(op, \
           {{#op ".forward", BODY(forward, Call), each_four, NULL, TOUCH_in0 | TOUCH_in1 | TOUCH_out, NULL, true}}, \
           {{#op ".backward", BODY(backward, Call), back, NULL, TOUCH_dout | TOUCH_din0 | TOUCH_din1, NULL, true}}, \
           NULL)

#endif
