/* y = g x / sqrt(mean(x^2) + eps), in groups. save: 1/rms in the second column of each pair. */
#include "kernels/cuda/after_residual.cuh"
#include "kernels/cuda/rms.cuh"
#include "kernels/cuda/rms_gain.cuh"

DEVICE_FN void forward_line(const Call &c, int r, int line) {
    const int n = width_of(c);
    const size_t first = (size_t)line * n;
    float inverse = rms_forward(out_of(c, r) + first, in_of(c, 0, r) + first, in_of(c, 1, r), n, (float)c.attr.eps);
    if (lane_id() == 0) at(c.save, r)[2 * (size_t)line + 1] = inverse;
}

KERNEL_FN(forward, THREADS, Call, c) {
    const int line = warp_row();
    if (line < lines_of(c)) forward_line(c, (int)blockIdx.z, line);
}

DEVICE_FN void input_line(const Call &c, int r, int line) {
    const int n = width_of(c);
    size_t first = (size_t)line * n;
    rms_backward(din_of(c, 0, r) + first, dout_of(c, r) + first, in_of(c, 0, r) + first, in_of(c, 1, r),
                 at(c.save, r)[2 * (size_t)line + 1], n, c.accumulate[0]);
}

STAGES(rmsnorm,
       {{"rmsnorm.forward", BODY(forward, Call), each_line, NULL, TOUCH_in0 | TOUCH_out | TOUCH_save, NULL, false}},
       {NORM_BACKWARD("rmsnorm.backward")},
       NULL);

AFTER_RESIDUAL(rmsnorm);
