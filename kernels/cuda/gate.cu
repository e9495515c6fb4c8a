/* y = g x with g one learned number (ReZero) or one learned row (LayerScale); dg = sum over rows of dy x. */
#include "kernels/cuda/chain.cuh"
#include "kernels/cuda/columns.cuh"

KERNEL_FN(forward, THREADS, Call, c) {
    int r = (int)blockIdx.z, d = c.out.cols, i = thread_index();
    if (i >= c.out.rows * d) return;
    at(c.out, r)[i] = at(c.in[1], r)[c.in[1].cols > 1 ? i % d : 0] * at(c.in[0], r)[i];
}

KERNEL_FN(input, THREADS, Call, c) {
    int r = (int)blockIdx.z, d = c.out.cols, i = thread_index();
    if (i >= c.out.rows * d) return;
    put(&at(c.din[0], r)[i], at(c.in[1], r)[c.in[1].cols > 1 ? i % d : 0] * at(c.dout, r)[i], c.accumulate[0]);
}

struct GainFactors {
    const float *x, *dy;
    int d;
    DEVICE_METHOD Factors operator()(int row, int column) const {
        size_t e = (size_t)row * d + column;
        Factors f = {dy[e], x[e]};
        return f;
    }
};

/* One learned row. */
KERNEL_FN(gains, THREADS, Call, c) {
    int r = (int)blockIdx.z, d = c.out.cols, i = column_here();
    const GainFactors of = {at(c.in[0], r), at(c.dout, r), d};
    float total = column_chain(c.out.rows, CANON_BLOCK, i, d, of);
    if (threadIdx.x < WARP && i < d) put(&at(c.din[1], r)[i], total, c.accumulate[1]);
}

/* One learned number: a row's dot product to a warp, then one chain over the rows. */
KERNEL_FN(dots, THREADS, Call, c) {
    int r = (int)blockIdx.z, d = c.out.cols, row = warp_row();
    if (row >= c.out.rows) return;
    float dot = row_dot(at(c.in[0], r) + (size_t)row * d, at(c.dout, r) + (size_t)row * d, d);
    if (lane_id() == 0) ((float *)c.scratch)[(size_t)r * c.out.rows + row] = dot;
}

KERNEL_FN(number, THREADS, Call, c) {
    int r = (int)blockIdx.z;
    float total = chain_sum((const float *)c.scratch + (size_t)r * c.out.rows, c.out.rows);
    if (threadIdx.x == 0) put(at(c.din[1], r), total, c.accumulate[1]);
}

/* A gate of one column on activations of one column is a row. */
static bool is_number(const Call *c) {
    return c->in[1].cols == 1 && c->out.cols > 1;
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

STAGES(gate, {{"gate.forward", BODY(forward, Call), each_element, NULL, TOUCH_in0 | TOUCH_in1 | TOUCH_out, NULL, true}},
       {{"gate.input", BODY(input, Call), each_element_back, NULL, TOUCH_in1 | TOUCH_dout | TOUCH_din0, NULL, true},
        {"gate.gains", BODY(gains, Call), each_column, NULL, TOUCH_in0 | TOUCH_dout | TOUCH_din1, NULL, false},
        {"gate.dots", BODY(dots, Call), each_row, NULL, TOUCH_in0 | TOUCH_dout, scratch_bytes, false},
        {"gate.number", BODY(number, Call), one_block, NULL, TOUCH_din1, scratch_bytes, false}},
       scratch);
