/* y = x + s with s one learned number or one learned row; ds = sum over rows of dy. */
#include "kernels/cuda/chain.cuh"
#include "kernels/cuda/columns.cuh"

KERNEL_FN(forward, THREADS, Call, c) {
    int r = (int)blockIdx.z, d = c.out.cols, i = thread_index();
    if (i >= c.out.rows * d) return;
    at(c.out, r)[i] = at(c.in[0], r)[i] + at(c.in[1], r)[c.in[1].cols > 1 ? i % d : 0];
}

KERNEL_FN(input, THREADS, Call, c) {
    int r = (int)blockIdx.z, i = thread_index();
    if (i >= c.out.rows * c.out.cols) return;
    put(&at(c.din[0], r)[i], at(c.dout, r)[i], c.accumulate[0]);
}

struct RowFactors {
    const float *dy;
    int d;
    DEVICE_METHOD Factors operator()(int row, int column) const {
        Factors f = {dy[(size_t)row * d + column], 1};
        return f;
    }
};

/* One learned row. */
KERNEL_FN(shifts, THREADS, Call, c) {
    int r = (int)blockIdx.z, d = c.out.cols, i = column_here();
    const RowFactors of = {at(c.dout, r), d};
    float total = column_chain(c.out.rows, CANON_BLOCK, i, d, of);
    if (threadIdx.x < WARP && i < d) put(&at(c.din[1], r)[i], total, c.accumulate[1]);
}

/* One learned number: a row's sum to a warp, then one chain over the rows. */
KERNEL_FN(sums, THREADS, Call, c) {
    int r = (int)blockIdx.z, d = c.out.cols, row = warp_row();
    if (row >= c.out.rows) return;
    float sum = row_sum(at(c.dout, r) + (size_t)row * d, d);
    if (lane_id() == 0) ((float *)c.scratch)[(size_t)r * c.out.rows + row] = sum;
}

KERNEL_FN(number, THREADS, Call, c) {
    int r = (int)blockIdx.z;
    float total = chain_sum((const float *)c.scratch + (size_t)r * c.out.rows, c.out.rows);
    if (threadIdx.x == 0) put(at(c.din[1], r), total, c.accumulate[1]);
}

/* A shift of one column on activations of one column is a row. */
static bool is_number(const Call *c) {
    return c->in[1].cols == 1 && c->out.cols > 1;
}

/* In place (din[0] is dout) there is nothing to write. */
static Grid each_moved(const Call *c) {
    return c->din[0].at != c->dout.at ? each_element_back(c) : no_grid();
}

static Grid each_column(const Call *c) {
    return c->din[1].at && !is_number(c) ? grid_of_columns(c, (size_t)c->in[1].cols) : no_grid();
}

static Grid each_row(const Call *c) {
    return c->din[1].at && is_number(c) ? grid_of_rows(c, (size_t)c->out.rows) : no_grid();
}

static Grid one_block(const Call *c) {
    return c->din[1].at && is_number(c) ? grid_of(c, 1) : no_grid();
}

static size_t scratch(const Call *c) {
    return (size_t)c->replicas * (size_t)c->out.rows * sizeof(float);
}

static double scratch_bytes(const Call *c) {
    return 4.0 * c->out.rows;
}

STAGES(shift,
       {{"shift.forward", BODY(forward, Call), each_element, NULL, TOUCH_in0 | TOUCH_in1 | TOUCH_out, NULL, true}},
       {{"shift.input", BODY(input, Call), each_moved, NULL, TOUCH_dout | TOUCH_din0, NULL, true},
        {"shift.shifts", BODY(shifts, Call), each_column, NULL, TOUCH_dout | TOUCH_din1, NULL, false},
        {"shift.sums", BODY(sums, Call), each_row, NULL, TOUCH_dout, scratch_bytes, false},
        {"shift.number", BODY(number, Call), one_block, NULL, TOUCH_din1, scratch_bytes, false}},
       scratch);
