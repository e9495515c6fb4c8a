/* [q | k | v] -> [q | k | rms(v) g], in groups of columns: the head size (per-head norm) or the whole width.
 * save: 1/rms per group. A warp for each group of a row of v, and one more for its q and k. */
#include "kernels/cuda/columns.cuh"
#include "kernels/cuda/rms.cuh"

typedef struct {
    int d, n, groups, row, s; /* s < groups: a group of v; groups: q and k */
    size_t first;             /* index of the first element */
} Piece;

static inline __host__ __device__ int group_of(const Call &c) {
    return c.attr.group ? c.attr.group : c.in[0].cols / 3;
}

DEVICE_FN Piece piece_of(const Call &c) {
    int d = c.in[0].cols / 3, n = group_of(c), groups = d / n, warp = warp_row();
    Piece p = {d, n, groups, warp / (groups + 1), warp % (groups + 1), 0};
    p.first = (size_t)p.row * 3 * d + (p.s == groups ? 0 : 2 * (size_t)d + (size_t)p.s * n);
    return p;
}

KERNEL_FN(forward, THREADS, Call, c) {
    int r = (int)blockIdx.z;
    Piece p = piece_of(c);
    if (p.row >= c.in[0].rows) return;
    const Number *x = in_of(c, 0, r) + p.first;
    const Target y = out_of(c, r) + p.first;
    if (p.s == p.groups) {
        for (int i = lane_id(); i < 2 * p.d; i += WARP) y[i] = x[i];
        return;
    }
    float inverse = rms_forward(y, x, in_of(c, 1, r), p.n, (float)c.attr.eps);
    if (lane_id() == 0) at(c.save, r)[(size_t)p.row * p.groups + p.s] = inverse;
}

KERNEL_FN(input, THREADS, Call, c) {
    int r = (int)blockIdx.z;
    Piece p = piece_of(c);
    if (p.row >= c.in[0].rows) return;
    const Number *x = in_of(c, 0, r) + p.first, *dy = dout_of(c, r) + p.first;
    const Target dx = din_of(c, 0, r) + p.first;
    if (p.s == p.groups) {
        for (int i = lane_id(); i < 2 * p.d; i += WARP) put(dx + i, dy[i], c.accumulate[0]);
        return;
    }
    rms_backward(dx, dy, x, in_of(c, 1, r), at(c.save, r)[(size_t)p.row * p.groups + p.s], p.n, c.accumulate[0]);
}

struct GainFactors {
    const Number *x, *dy;
    const float *save;
    int d, n, groups;
    /* Return the factors of a chain, whose rows are the groups of all rows. */
    DEVICE_METHOD Factors operator()(int line, int column) const {
        size_t e = (size_t)(line / groups) * 3 * d + 2 * (size_t)d + (size_t)(line % groups) * n + column;
        Factors f = {dy[e], x[e] * save[line]};
        return f;
    }
};

KERNEL_FN(gain, THREADS, Call, c) {
    int r = (int)blockIdx.z, d = c.in[0].cols / 3, n = group_of(c), groups = d / n, column = column_here();
    const GainFactors of = {in_of(c, 0, r), dout_of(c, r), at(c.save, r), d, n, groups};
    float total = column_chain(c.in[0].rows * groups, CANON_BLOCK * groups, column, n, of);
    if (threadIdx.x < WARP && column < n) put(at(c.din[1], r) + column, total, c.accumulate[1]);
}

static Grid each_piece(const Call *c) {
    int groups = c->in[0].cols / 3 / group_of(*c);
    return grid_of_rows(c, (size_t)c->in[0].rows * (size_t)(groups + 1));
}

static Grid each_piece_back(const Call *c) {
    return c->din[0].at ? each_piece(c) : no_grid();
}

static Grid each_column(const Call *c) {
    return c->din[1].at ? grid_of_columns(c, (size_t)group_of(*c)) : no_grid();
}

STAGES(vrms, {{"vrms.forward", BODY(forward, Call), each_piece, NULL, TOUCH_in0 | TOUCH_out | TOUCH_save, NULL, false}},
       {{"vrms.input", BODY(input, Call), each_piece_back, NULL, TOUCH_in0 | TOUCH_dout | TOUCH_save | TOUCH_din0, NULL,
         false},
        {"vrms.gain", BODY(gain, Call), each_column, NULL, TOUCH_in0 | TOUCH_dout | TOUCH_save | TOUCH_din1, NULL,
         false}},
       NULL);
