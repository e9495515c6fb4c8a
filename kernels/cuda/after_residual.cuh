/* y = alpha x + beta f, then a norm of y, in one launch: a warp computes a line of y and normalizes it. Lane j computes
 * the numbers j, j + 32, … that it reads again, so no lane waits for another. A file that includes this defines
 * forward_line(c, r, line). */
#ifndef KERNELS_CUDA_AFTER_RESIDUAL_CUH
#define KERNELS_CUDA_AFTER_RESIDUAL_CUH

#include "kernels/cuda/lines.cuh"

DEVICE_FN void forward_line(const Call &c, int r, int line);

KERNEL_FN(after_residual, AT_LEAST(6, THREADS), Two, t) {
    const Call &sum = t.first, &norm = t.second;
    const int r = (int)blockIdx.z, n = width_of(norm), line = warp_row();
    if (line >= lines_of(norm)) return;
    const size_t first = (size_t)line * n;
    const Number *x = in_of(sum, 0, r) + first, *f = in_of(sum, 1, r) + first;
    const Target y = out_of(sum, r) + first;
    const float alpha = (float)sum.attr.alpha, beta = (float)sum.attr.beta;
    for (int i = lane_id(); i < n; i += WARP) y[i] = CANON_FMA(alpha, x[i], beta * f[i]);
    forward_line(norm, r, line);
}

static Grid each_line_of_second(const Two *t) {
    return each_line(&t->second);
}

#define AFTER_RESIDUAL(norm) \
    FUSED(residual, norm, forward, \
          {{"residual, " #norm ".forward", BODY(after_residual, Two), each_line_of_second, NULL, \
            TOUCH_in0 | TOUCH_in1 | TOUCH_out, TOUCH_out | TOUCH_save, NULL}})

#endif
