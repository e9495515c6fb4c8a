/* dx = dy, of ops whose gradient passes as it is (shift, damp). */
#ifndef KERNELS_CUDA_STRAIGHT_CUH
#define KERNELS_CUDA_STRAIGHT_CUH

#include "kernels/cuda/device.cuh"

KERNEL_FN(straight, THREADS, Call, c) {
    int r = (int)blockIdx.z, i = thread_index();
    if (i >= c.out.rows * c.out.cols) return;
    put(&at(c.din[0], r)[i], at(c.dout, r)[i], c.accumulate[0]);
}

/* In place (din[0] is dout) there is nothing to write. */
static Grid each_moved(const Call *c) {
    return c->din[0].at != c->dout.at ? each_element_back(c) : no_grid();
}

#endif
