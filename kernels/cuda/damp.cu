/* y = x - silu(g) stop_gradient(x) with g one learned number or alpha. silu(g) = g s, s = 1 / (1 + exp(-g))
 * dx = dy;  dg = -silu'(g) sum(dy x), silu' = s (1 + g (1 - s)) */
#include "kernels/cuda/number.cuh"
#include "kernels/cuda/straight.cuh"

DEVICE_FN float sigmoid(float g) {
    return 1 / (1 + canon_exp(-g));
}

DEVICE_FN float slope(float g) {
    const float sig = sigmoid(g);
    return sig * CANON_FMA(g, 1 - sig, 1.0f);
}

DEVICE_FN float kept(float g) {
    return CANON_FMA(-g, sigmoid(g), 1.0f);
}

KERNEL_FN(forward, THREADS, Call, c) {
    int r = (int)blockIdx.z, i = thread_index();
    if (i >= c.out.rows * c.out.cols) return;
    float g = c.in_count > 1 ? in_of(c, 1, r)[0] : (float)c.attr.alpha;
    out_of(c, r)[i] = kept(g) * in_of(c, 0, r)[i];
}

/* Compute the rows' dot products, one per warp; one chain over the rows follows. */
KERNEL_FN(dots, THREADS, Call, c) {
    int r = (int)blockIdx.z, d = c.out.cols, row = warp_row();
    if (row >= c.out.rows) return;
    float dot = row_dot(in_of(c, 0, r) + (size_t)row * d, dout_of(c, r) + (size_t)row * d, d);
    if (lane_id() == 0) *summand(c, r, row) = -slope(in_of(c, 1, r)[0]) * dot;
}

static Grid each_row(const Call *c) {
    return c->din[1].at ? grid_of_rows(c, (size_t)c->out.rows) : no_grid();
}

static Grid one_block(const Call *c) {
    return c->din[1].at ? grid_of(c, 1) : no_grid();
}

STAGES(damp, {{"damp.forward", BODY(forward, Call), each_element, NULL, TOUCH_in0 | TOUCH_in1 | TOUCH_out, NULL, true}},
       {{"damp.input", BODY(straight, Call), each_moved, NULL, TOUCH_dout | TOUCH_din0, NULL, true},
        {"damp.dots", BODY(dots, Call), each_row, NULL, TOUCH_in0 | TOUCH_in1 | TOUCH_dout, scratch_bytes, false},
        {"damp.number", BODY(number, Call), one_block, NULL, TOUCH_din1, scratch_bytes, false}},
       scratch);
