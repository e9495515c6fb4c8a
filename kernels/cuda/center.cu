/* y = x - mean(x), in groups; dx = dy - mean(dy): the same projection. */
#include "kernels/cuda/lines.cuh"

DEVICE_FN void project(Target y, const Number *x, int n, bool accumulate) {
    float mean = row_sum(x, n) / (float)n;
    for (int i = lane_id(); i < n; i += WARP) put(y + i, x[i] - mean, accumulate);
}

KERNEL_FN(forward, THREADS, Call, c) {
    int r = (int)blockIdx.z, n = width_of(c), line = warp_row();
    if (line >= lines_of(c)) return;
    project(out_of(c, r) + (size_t)line * n, in_of(c, 0, r) + (size_t)line * n, n, false);
}

KERNEL_FN(backward, THREADS, Call, c) {
    int r = (int)blockIdx.z, n = width_of(c), line = warp_row();
    if (line >= lines_of(c)) return;
    project(din_of(c, 0, r) + (size_t)line * n, dout_of(c, r) + (size_t)line * n, n, c.accumulate[0]);
}

STAGES(center, {{"center.forward", BODY(forward, Call), each_line, NULL, TOUCH_in0 | TOUCH_out, NULL, false}},
       {{"center.backward", BODY(backward, Call), each_line_back, NULL, TOUCH_dout | TOUCH_din0, NULL, false}}, NULL);
