/* x = k groups of d columns (outputs of earlier layers), w one row of d:
 *   h_i = x_i / sqrt(mean(x_i^2) + eps),  s_i = w . h_i,  a = softmax(s),  y = sum_i a_i x_i, a chain over ascending i
 *   ds_i = a_i (dy . x_i - sum_j a_j dy . x_j)
 *   dx_i = a_i dy + ds_i (w - h_i s_i / d) / rms_i;  dw = sum of ds_i h_i over rows, and in a row over ascending i
 * save: the scores s, then 1/rms, then a. Number i of a row is written and read by lane i mod 32 alone. */
#include "kernels/cuda/columns.cuh"

static inline __host__ __device__ int groups_of(const Call &c) {
    return c.in[0].cols / c.out.cols;
}

DEVICE_FN float *saved(const Call &c, int r, int row) {
    return at(c.save, r) + (size_t)row * 3 * groups_of(c);
}

DEVICE_FN float *slopes_of(const Call &c, int r, int row) {
    return (float *)c.scratch + ((size_t)r * c.out.rows + row) * groups_of(c);
}

/* Compute scores, a row per warp. */
KERNEL_FN(scores, THREADS, Call, c) {
    int r = (int)blockIdx.z, d = c.out.cols, k = groups_of(c), row = warp_row();
    if (row >= c.out.rows) return;
    const Number *x = in_of(c, 0, r) + (size_t)row * c.in[0].cols, *w = in_of(c, 1, r);
    float *s = saved(c, r, row), *inverse = s + k, *a = s + 2 * k, sum;
    for (int i = 0; i < k; i++) {
        float squares = row_dot(x + i * d, x + i * d, d), dot = row_dot(w, x + i * d, d);
        float one = 1 / CANON_SQRT(squares / (float)d + (float)c.attr.eps);
        if (lane_id() == i % WARP) inverse[i] = one, s[i] = dot * one;
    }
    float most = row_max(s, k);
    for (int i = lane_id(); i < k; i += WARP) a[i] = canon_exp(s[i] - most);
    sum = row_sum(a, k);
    for (int i = lane_id(); i < k; i += WARP) a[i] /= sum;
}

KERNEL_FN(mix, THREADS, Call, c) {
    int r = (int)blockIdx.z, d = c.out.cols, k = groups_of(c), e = thread_index();
    if (e >= c.out.rows * d) return;
    const Number *x = in_of(c, 0, r) + (size_t)(e / d) * c.in[0].cols + e % d;
    const float *a = saved(c, r, e / d) + 2 * k;
    float chain = 0;
    for (int i = 0; i < k; i++) chain = CANON_FMA(a[i], x[i * d], chain);
    out_of(c, r)[e] = chain;
}

/* Compute ds into scratch, a row per warp. */
KERNEL_FN(slopes, THREADS, Call, c) {
    int r = (int)blockIdx.z, d = c.out.cols, k = groups_of(c), row = warp_row();
    if (row >= c.out.rows) return;
    const Number *x = in_of(c, 0, r) + (size_t)row * c.in[0].cols, *dy = dout_of(c, r) + (size_t)row * d;
    const float *a = saved(c, r, row) + 2 * k;
    float *ds = slopes_of(c, r, row);
    for (int i = 0; i < k; i++) {
        float dot = row_dot(dy, x + i * d, d);
        if (lane_id() == i % WARP) ds[i] = dot;
    }
    float mean = row_dot(a, ds, k);
    for (int i = lane_id(); i < k; i += WARP) ds[i] = a[i] * (ds[i] - mean);
}

KERNEL_FN(input, THREADS, Call, c) {
    int r = (int)blockIdx.z, d = c.out.cols, k = groups_of(c), e = thread_index();
    if (e >= c.in[0].rows * c.in[0].cols) return;
    int row = e / c.in[0].cols, i = e % c.in[0].cols / d;
    const float *save = saved(c, r, row);
    const float inverse = save[k + i], slope = slopes_of(c, r, row)[i] * inverse, share = save[i] / (float)d;
    const float towards = CANON_FMA(-(in_of(c, 0, r)[e] * inverse), share, in_of(c, 1, r)[e % d]);
    put(din_of(c, 0, r) + e, CANON_FMA(save[2 * k + i], dout_of(c, r)[(size_t)row * d + e % d], slope * towards),
        c.accumulate[0]);
}

struct QueryFactors {
    const Number *x;
    const float *save, *ds;
    int d, k;
    /* Return the factors of a chain, whose rows are the groups of all rows. */
    DEVICE_METHOD Factors operator()(int line, int column) const {
        int row = line / k, i = line % k;
        Factors f = {ds[line], x[(size_t)line * d + column] * save[(size_t)row * 3 * k + k + i]};
        return f;
    }
};

KERNEL_FN(query, THREADS, Call, c) {
    int r = (int)blockIdx.z, d = c.out.cols, k = groups_of(c), column = column_here();
    const QueryFactors of = {in_of(c, 0, r), at(c.save, r), slopes_of(c, r, 0), d, k};
    float total = column_chain(c.out.rows * k, CANON_BLOCK * k, column, d, of);
    if (threadIdx.x < WARP && column < d) put(at(c.din[1], r) + column, total, c.accumulate[1]);
}

static Grid each_row(const Call *c) {
    return grid_of_rows(c, (size_t)c->out.rows);
}

static Grid each_row_back(const Call *c) {
    return c->din[0].at || c->din[1].at ? each_row(c) : no_grid();
}

static Grid each_input(const Call *c) {
    return c->din[0].at ? grid_of(c, (size_t)c->in[0].rows * (size_t)c->in[0].cols) : no_grid();
}

static Grid each_column(const Call *c) {
    return c->din[1].at ? grid_of_columns(c, (size_t)c->out.cols) : no_grid();
}

static size_t scratch(const Call *c) {
    return (size_t)c->replicas * (size_t)c->out.rows * (size_t)groups_of(*c) * sizeof(float);
}

static double scratch_bytes(const Call *c) {
    return 4.0 * c->out.rows * groups_of(*c);
}

STAGES(attnres,
       {{"attnres.scores", BODY(scores, Call), each_row, NULL, TOUCH_in0 | TOUCH_in1 | TOUCH_save, NULL, false},
        {"attnres.mix", BODY(mix, Call), each_element, NULL, TOUCH_in0 | TOUCH_save | TOUCH_out, NULL, true}},
       {{"attnres.slopes", BODY(slopes, Call), each_row_back, NULL, TOUCH_in0 | TOUCH_save | TOUCH_dout, scratch_bytes,
         false},
        {"attnres.input", BODY(input, Call), each_input, NULL,
         TOUCH_in0 | TOUCH_in1 | TOUCH_save | TOUCH_dout | TOUCH_din0, scratch_bytes, true},
        {"attnres.query", BODY(query, Call), each_column, NULL, TOUCH_in0 | TOUCH_save | TOUCH_din1, scratch_bytes,
         false}},
       scratch);
