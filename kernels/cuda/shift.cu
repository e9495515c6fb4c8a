/* y = x + s with s one learned number or one learned row; ds = sum over rows of dy. */
#include "kernels/cuda/number.cuh"
#include "kernels/cuda/straight.cuh"

KERNEL_FN(forward, THREADS, Call, c) {
    int r = (int)blockIdx.z, d = c.out.cols, i = thread_index();
    if (i >= c.out.rows * d) return;
    out_of(c, r)[i] = in_of(c, 0, r)[i] + in_of(c, 1, r)[c.in[1].cols > 1 ? i % d : 0];
}

struct RowFactors {
    const Number *dy;
    int d;
    DEVICE_METHOD Factors operator()(int row, int column) const {
        Factors f = {dy[(size_t)row * d + column], 1};
        return f;
    }
};

/* Sum the gradient of one learned row. */
KERNEL_FN(shifts, THREADS, Call, c) {
    int r = (int)blockIdx.z, d = c.out.cols, i = column_here();
    const RowFactors of = {dout_of(c, r), d};
    float total = column_chain(c.out.rows, CANON_BLOCK, i, d, of);
    if (threadIdx.x < WARP && i < d) put(at(c.din[1], r) + i, total, c.accumulate[1]);
}

/* Sum rows for one learned number, a row per warp; one chain over the rows follows. */
KERNEL_FN(sums, THREADS, Call, c) {
    int r = (int)blockIdx.z, d = c.out.cols, row = warp_row();
    if (row >= c.out.rows) return;
    float sum = row_sum(dout_of(c, r) + (size_t)row * d, d);
    if (lane_id() == 0) *summand(c, r, row) = sum;
}

STAGES(shift,
       {{"shift.forward", BODY(forward, Call), each_element, NULL, TOUCH_in0 | TOUCH_in1 | TOUCH_out, NULL, true}},
       {{"shift.input", BODY(straight, Call), each_moved, NULL, TOUCH_dout | TOUCH_din0, NULL, true},
        {"shift.shifts", BODY(shifts, Call), each_column, NULL, TOUCH_dout | TOUCH_din1, NULL, false},
        {"shift.sums", BODY(sums, Call), each_line, NULL, TOUCH_dout, scratch_bytes, false},
        {"shift.number", BODY(number, Call), each_number, NULL, TOUCH_din1, scratch_bytes, false}},
       scratch);
