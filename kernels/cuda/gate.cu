/* y = g x with g one learned number (ReZero), one learned row (LayerScale) or a learned number for each of equal groups
 * of columns (the head scale of NormFormer); dg = sum over rows of dy x. */
#include "kernels/cuda/number.cuh"

KERNEL_FN(forward, THREADS, Call, c) {
    int r = (int)blockIdx.z, d = c.out.cols, i = thread_index();
    if (i >= c.out.rows * d) return;
    out_of(c, r)[i] = in_of(c, 1, r)[i % d / group_of(c)] * in_of(c, 0, r)[i];
}

KERNEL_FN(input, THREADS, Call, c) {
    int r = (int)blockIdx.z, d = c.out.cols, i = thread_index();
    if (i >= c.out.rows * d) return;
    put(din_of(c, 0, r) + i, in_of(c, 1, r)[i % d / group_of(c)] * dout_of(c, r)[i], c.accumulate[0]);
}

struct GainFactors {
    const Number *x, *dy;
    int d;
    DEVICE_METHOD Factors operator()(int row, int column) const {
        size_t e = (size_t)row * d + column;
        Factors f = {dy[e], x[e]};
        return f;
    }
};

/* Sum the gradient of one learned row. */
KERNEL_FN(gains, THREADS, Call, c) {
    int r = (int)blockIdx.z, d = c.out.cols, i = column_here();
    const GainFactors of = {in_of(c, 0, r), dout_of(c, r), d};
    float total = column_chain(c.out.rows, CANON_BLOCK, i, d, of);
    if (threadIdx.x < WARP && i < d) put(at(c.din[1], r) + i, total, c.accumulate[1]);
}

/* Compute the dot products of rows' groups for learned numbers, one per warp; one chain over the rows follows. */
KERNEL_FN(dots, THREADS, Call, c) {
    int r = (int)blockIdx.z, line = warp_row(), m = group_of(c);
    if (line >= c.out.rows * c.in[1].cols) return;
    float dot = row_dot(in_of(c, 0, r) + (size_t)line * m, dout_of(c, r) + (size_t)line * m, m);
    if (lane_id() == 0) *summand(c, r, line) = dot;
}

STAGES(gate, {{"gate.forward", BODY(forward, Call), each_element, NULL, TOUCH_in0 | TOUCH_in1 | TOUCH_out, NULL, true}},
       {{"gate.input", BODY(input, Call), each_element_back, NULL, TOUCH_in1 | TOUCH_dout | TOUCH_din0, NULL, true},
        {"gate.gains", BODY(gains, Call), each_column, NULL, TOUCH_in0 | TOUCH_dout | TOUCH_din1, NULL, false},
        {"gate.dots", BODY(dots, Call), each_line, NULL, TOUCH_in0 | TOUCH_dout, scratch_bytes, false},
        {"gate.number", BODY(number, Call), each_number, NULL, TOUCH_din1, scratch_bytes, false}},
       scratch);
