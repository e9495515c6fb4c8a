/* y = |x|_2 per row: a probe, no gradient. */
#include "kernels/cuda/device.cuh"

KERNEL_FN(forward, THREADS, Call, c) {
    int r = (int)blockIdx.z, d = c.in[0].cols, row = warp_row();
    if (row >= c.in[0].rows) return;
    const Number *x = in_of(c, 0, r) + (size_t)row * d;
    float squares = row_dot(x, x, d);
    if (lane_id() == 0) at(c.out, r)[row] = CANON_SQRT(squares);
}

static Grid each_row(const Call *c) {
    return grid_of_rows(c, (size_t)c->in[0].rows);
}

STAGES(rownorm, {{"rownorm.forward", BODY(forward, Call), each_row, NULL, TOUCH_in0 | TOUCH_out, NULL, false}}, {},
       NULL);
