/* [q | k | v] -> [rms(q) gq | rms(k) gk | v], in groups of columns: the head size (per-head norm) or the whole width
 * (OLMo 2). save: 1/rms per group of q, then of k. A warp for each group of a row, and one more for the row's v. */
#include "kernels/cuda/columns.cuh"
#include "kernels/cuda/rms.cuh"

typedef struct {
    int d, n, groups, row, s; /* s < 2 groups: a group of q, then of k; 2 groups: v */
} Piece;

static inline __host__ __device__ int group_of(const Call &c) {
    return c.attr.group ? c.attr.group : c.in[0].cols / 3;
}

DEVICE_FN Piece piece_of(const Call &c) {
    int d = c.in[0].cols / 3, n = group_of(c), groups = d / n, warp = warp_row();
    Piece p = {d, n, groups, warp / (2 * groups + 1), warp % (2 * groups + 1)};
    return p;
}

KERNEL_FN(forward, THREADS, Call, c) {
    int r = (int)blockIdx.z;
    Piece p = piece_of(c);
    if (p.row >= c.in[0].rows) return;
    size_t first = (size_t)p.row * 3 * p.d + (size_t)p.s * p.n;
    const Number *x = in_of(c, 0, r) + first;
    const Target y = out_of(c, r) + first;
    if (p.s == 2 * p.groups) {
        for (int i = lane_id(); i < p.d; i += WARP) y[i] = x[i];
        return;
    }
    float inverse = rms_forward(y, x, in_of(c, p.s < p.groups ? 1 : 2, r), p.n, (float)c.attr.eps);
    if (lane_id() == 0) at(c.save, r)[(size_t)p.row * 2 * p.groups + p.s] = inverse;
}

KERNEL_FN(input, THREADS, Call, c) {
    int r = (int)blockIdx.z;
    Piece p = piece_of(c);
    if (p.row >= c.in[0].rows) return;
    size_t first = (size_t)p.row * 3 * p.d + (size_t)p.s * p.n;
    const Number *x = in_of(c, 0, r) + first, *dy = dout_of(c, r) + first;
    const Target dx = din_of(c, 0, r) + first;
    if (p.s == 2 * p.groups) {
        for (int i = lane_id(); i < p.d; i += WARP) put(dx + i, dy[i], c.accumulate[0]);
        return;
    }
    rms_backward(dx, dy, x, in_of(c, p.s < p.groups ? 1 : 2, r), at(c.save, r)[(size_t)p.row * 2 * p.groups + p.s], p.n,
                 c.accumulate[0]);
}

struct GainFactors {
    const Number *x, *dy;
    const float *save;
    int d, n, groups;
    /* Return the factors of a column of q's gain, then of k's; a chain's rows are the groups of all rows. */
    DEVICE_METHOD Factors operator()(int line, int column) const {
        int row = line / groups, s = line % groups + (column < n ? 0 : groups);
        size_t e = (size_t)row * 3 * d + (size_t)s * n + column % n;
        Factors f = {dy[e], x[e] * save[(size_t)row * 2 * groups + s]};
        return f;
    }
};

KERNEL_FN(gains, THREADS, Call, c) {
    int r = (int)blockIdx.z, d = c.in[0].cols / 3, n = group_of(c), groups = d / n, column = column_here();
    const GainFactors of = {in_of(c, 0, r), dout_of(c, r), at(c.save, r), d, n, groups};
    float total = column_chain(c.in[0].rows * groups, CANON_BLOCK * groups, column, 2 * n, of);
    if (threadIdx.x >= WARP || column >= 2 * n) return;
    float *q = at(c.din[1], r), *k = at(c.din[2], r);
    if (column < n && q) put(q + column, total, c.accumulate[1]);
    if (column >= n && k) put(k + column - n, total, c.accumulate[2]);
}

static Grid each_piece(const Call *c) {
    int groups = c->in[0].cols / 3 / group_of(*c);
    return grid_of_rows(c, (size_t)c->in[0].rows * (size_t)(2 * groups + 1));
}

static Grid each_piece_back(const Call *c) {
    return c->din[0].at ? each_piece(c) : no_grid();
}

static Grid each_column(const Call *c) {
    return c->din[1].at || c->din[2].at ? grid_of_columns(c, 2 * (size_t)group_of(*c)) : no_grid();
}

STAGES(qkrms,
       {{"qkrms.forward", BODY(forward, Call), each_piece, NULL, TOUCH_in0 | TOUCH_out | TOUCH_save, NULL, false}},
       {{"qkrms.input", BODY(input, Call), each_piece_back, NULL, TOUCH_in0 | TOUCH_dout | TOUCH_save | TOUCH_din0,
         NULL, false},
        {"qkrms.gains", BODY(gains, Call), each_column, NULL,
         TOUCH_in0 | TOUCH_dout | TOUCH_save | TOUCH_din1 | TOUCH_din2, NULL, false}},
       NULL);
