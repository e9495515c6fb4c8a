/* y = g x / sqrt(mean(x^2) + eps), in groups. save: 1/rms in the second column of each pair. */
#include "kernels/cuda/rms.cuh"

DEVICE_FN int width_of(const Call &c) {
    return c.attr.group ? c.attr.group : c.in[0].cols;
}

DEVICE_FN int lines_of(const Call &c) {
    return c.in[0].rows * (c.in[0].cols / width_of(c));
}

KERNEL_FN(forward, THREADS, Call, c) {
    int r = (int)blockIdx.z, n = width_of(c), line = warp_row();
    if (line >= lines_of(c)) return;
    size_t first = (size_t)line * n;
    float inverse = rms_forward(at(c.out, r) + first, at(c.in[0], r) + first, at(c.in[1], r), n, (float)c.attr.eps);
    if (lane_id() == 0) at(c.save, r)[2 * (size_t)line + 1] = inverse;
}

KERNEL_FN(input, THREADS, Call, c) {
    int r = (int)blockIdx.z, n = width_of(c), line = warp_row();
    if (line >= lines_of(c)) return;
    size_t first = (size_t)line * n;
    rms_backward(at(c.din[0], r) + first, at(c.dout, r) + first, at(c.in[0], r) + first, at(c.in[1], r),
                 at(c.save, r)[2 * (size_t)line + 1], n, c.accumulate[0]);
}

KERNEL_FN(gain, THREADS, Call, c) {
    int r = (int)blockIdx.z, n = width_of(c), i = thread_index();
    if (i >= n) return;
    const float *x = at(c.in[0], r) + i, *dy = at(c.dout, r) + i, *save = at(c.save, r);
    float total;
    ROWS_REDUCE(lines_of(c), total, chain = CANON_FMA(dy[(size_t)row * n], x[(size_t)row * n] * save[2 * row + 1], chain));
    put(&at(c.din[1], r)[i], total, c.accumulate[1]);
}

static int width(const Call *c) {
    return c->attr.group ? c->attr.group : c->in[0].cols;
}

static Grid each_line(const Call *c) {
    return grid_of_rows(c, (size_t)c->in[0].rows * (size_t)(c->in[0].cols / width(c)));
}

static Grid each_line_back(const Call *c) {
    return c->din[0].at ? each_line(c) : no_grid();
}

static Grid each_column(const Call *c) {
    return c->din[1].at ? grid_of(c, (size_t)width(c)) : no_grid();
}

STAGES(rmsnorm, {{"rmsnorm.forward", BODY(forward, Call), each_line, NULL, TOUCH_in0 | TOUCH_out | TOUCH_save, NULL, false}},
       {{"rmsnorm.input", BODY(input, Call), each_line_back, NULL, TOUCH_in0 | TOUCH_dout | TOUCH_save | TOUCH_din0, NULL, false},
        {"rmsnorm.gain", BODY(gain, Call), each_column, NULL, TOUCH_in0 | TOUCH_dout | TOUCH_save | TOUCH_din1, NULL, true}},
       NULL);
