/* y = x - mean(x), in groups; dx = dy - mean(dy): the same projection. */
#include "kernels/cuda/device.cuh"

DEVICE_FN int width_of(const Call &c) {
    return c.attr.group ? c.attr.group : c.in[0].cols;
}

DEVICE_FN void project(float *y, const float *x, int n, bool accumulate) {
    float mean = row_sum(x, n) / (float)n;
    for (int i = lane_id(); i < n; i += WARP) put(&y[i], x[i] - mean, accumulate);
}

KERNEL_FN(forward, THREADS, Call, c) {
    int r = (int)blockIdx.z, n = width_of(c), line = warp_row();
    if (line >= c.in[0].rows * (c.in[0].cols / n)) return;
    project(at(c.out, r) + (size_t)line * n, at(c.in[0], r) + (size_t)line * n, n, false);
}

KERNEL_FN(backward, THREADS, Call, c) {
    int r = (int)blockIdx.z, n = width_of(c), line = warp_row();
    if (line >= c.in[0].rows * (c.in[0].cols / n)) return;
    project(at(c.din[0], r) + (size_t)line * n, at(c.dout, r) + (size_t)line * n, n, c.accumulate[0]);
}

static Grid each_line(const Call *c) {
    int n = c->attr.group ? c->attr.group : c->in[0].cols;
    return grid_of_rows(c, (size_t)c->in[0].rows * (size_t)(c->in[0].cols / n));
}

static Grid each_line_back(const Call *c) {
    return c->din[0].at ? each_line(c) : no_grid();
}

STAGES(center, {{"center.forward", BODY(forward, Call), each_line, NULL, TOUCH_in0 | TOUCH_out, NULL, false}},
       {{"center.backward", BODY(backward, Call), each_line_back, NULL, TOUCH_dout | TOUCH_din0, NULL, false}}, NULL);
