/* y = g x / sqrt((sum x^2 + (sum x)^2) / (n + 1) + eps), in groups. save: the sum, 1/rms per group.
 *   h = x / rms, dh = dy g:  dx = (dh - (x + sum x) / rms * sum(dh h) / (n + 1)) / rms;  dg = sum of dy h over rows */
#include "kernels/cuda/rms_gain.cuh"

KERNEL_FN(forward, THREADS, Call, c) {
    int r = (int)blockIdx.z, n = width_of(c), line = warp_row();
    if (line >= lines_of(c)) return;
    const Number *x = in_of(c, 0, r) + (size_t)line * n, *g = in_of(c, 1, r);
    const Target y = out_of(c, r) + (size_t)line * n;
    float *save = at(c.save, r) + 2 * (size_t)line, sum = row_sum(x, n);
    float inverse = 1 / CANON_SQRT(CANON_FMA(sum, sum, row_dot(x, x, n)) / (float)(n + 1) + (float)c.attr.eps);
    for (int i = lane_id(); i < n; i += WARP) y[i] = x[i] * inverse * g[i];
    if (lane_id() == 0) save[0] = sum, save[1] = inverse;
}

DEVICE_FN void input_line(const Call &c, int r, int line) {
    const int n = width_of(c);
    const Number *x = in_of(c, 0, r) + (size_t)line * n, *dy = dout_of(c, r) + (size_t)line * n, *g = in_of(c, 1, r);
    const float *save = at(c.save, r) + 2 * (size_t)line;
    const Target dx = din_of(c, 0, r) + (size_t)line * n;
    float sum = save[0], inverse = save[1], dot;
    ROW_REDUCE(n, dot, lane = CANON_FMA(dy[i] * g[i], x[i] * inverse, lane));
    dot /= (float)(n + 1);
    for (int i = lane_id(); i < n; i += WARP)
        put(dx + i, CANON_FMA(-((x[i] + sum) * inverse), dot, dy[i] * g[i]) * inverse, c.accumulate[0]);
}

STAGES(crms,
       {{"crms.forward", BODY(forward, Call), each_line, NULL, TOUCH_in0 | TOUCH_out | TOUCH_save, NULL, false}},
       {NORM_BACKWARD("crms.backward")},
       NULL);
