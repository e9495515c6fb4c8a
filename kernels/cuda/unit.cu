/* y = x / |x|, |x| = sqrt(sum x^2 + eps), in groups. save: 1/|x| in the second column of each pair.
 * dx = (dy - y sum(dy y)) / |x| */
#include "kernels/cuda/lines.cuh"

KERNEL_FN(forward, THREADS, Call, c) {
    int r = (int)blockIdx.z, n = width_of(c), line = warp_row();
    if (line >= lines_of(c)) return;
    const Number *x = in_of(c, 0, r) + (size_t)line * n;
    const Target y = out_of(c, r) + (size_t)line * n;
    float *save = at(c.save, r) + 2 * (size_t)line;
    float inverse = 1 / CANON_SQRT(row_dot(x, x, n) + (float)c.attr.eps);
    for (int i = lane_id(); i < n; i += WARP) y[i] = x[i] * inverse;
    if (lane_id() == 0) save[0] = 0, save[1] = inverse;
}

KERNEL_FN(backward, THREADS, Call, c) {
    int r = (int)blockIdx.z, n = width_of(c), line = warp_row();
    if (line >= lines_of(c)) return;
    const Number *x = in_of(c, 0, r) + (size_t)line * n, *dy = dout_of(c, r) + (size_t)line * n;
    const Target dx = din_of(c, 0, r) + (size_t)line * n;
    float inverse = at(c.save, r)[2 * (size_t)line + 1], dot;
    ROW_REDUCE(n, dot, lane = CANON_FMA(dy[i], x[i] * inverse, lane));
    for (int i = lane_id(); i < n; i += WARP)
        put(dx + i, CANON_FMA(-(x[i] * inverse), dot, dy[i]) * inverse, c.accumulate[0]);
}

STAGES(unit,
       {{"unit.forward", BODY(forward, Call), each_line, NULL, TOUCH_in0 | TOUCH_out | TOUCH_save, NULL, false}},
       {{"unit.backward", BODY(backward, Call), each_line_back, NULL, TOUCH_in0 | TOUCH_dout | TOUCH_save | TOUCH_din0,
         NULL, false}},
       NULL);
