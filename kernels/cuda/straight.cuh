/* dx = dy, for ops that pass the gradient on (shift, damp). */
#ifndef KERNELS_CUDA_STRAIGHT_CUH
#define KERNELS_CUDA_STRAIGHT_CUH

#include "kernels/cuda/fours.cuh"

KERNEL_FN(straight, THREADS, Call, c) {
    const int r = (int)blockIdx.z;
    const Fours here = fours_of(c.out);
    float dy[FOUR];
    if (!here.exist) return;
    read_fours(dy, dout_of(c, r), here);
    put_fours(din_of(c, 0, r), dy, here, c.accumulate[0]);
}

/* Launch nothing in place (din[0] is dout), unless 16-bit numbers must be counted. */
static Grid each_moved(const Call *c) {
    return NARROW || c->din[0].at != c->dout.at ? each_four_back(c) : no_grid();
}

#endif
