/* h = (x - mean) / sqrt(var + eps),  y = g h + b; two-pass variance. save: mean, 1/deviation per group.
 * dx = (dh - mean(dh) - h mean(dh h)) / deviation with dh = dy g;  dg = sum of dy h, db = sum of dy over rows.
 * A row of several groups is that many rows: the memory is the same. */
#include "kernels/cuda/after_residual.cuh"
#include "kernels/cuda/norm_back.cuh"

DEVICE_FN void forward_line(const Call &c, int r, int line) {
    const int n = width_of(c);
    const Number *x = in_of(c, 0, r) + (size_t)line * n, *g = in_of(c, 1, r), *b = in_of(c, 2, r);
    const Target y = out_of(c, r) + (size_t)line * n;
    float *save = at(c.save, r) + 2 * (size_t)line;
    float mean = row_sum(x, n) / (float)n, squares;
    ROW_REDUCE(n, squares, lane = CANON_FMA(x[i] - mean, x[i] - mean, lane));
    float inverse = 1 / CANON_SQRT(squares / (float)n + (float)c.attr.eps);
    for (int i = lane_id(); i < n; i += WARP) y[i] = CANON_FMA((x[i] - mean) * inverse, g[i], b[i]);
    if (lane_id() == 0) save[0] = mean, save[1] = inverse;
}

KERNEL_FN(forward, THREADS, Call, c) {
    const int line = warp_row();
    if (line < lines_of(c)) forward_line(c, (int)blockIdx.z, line);
}

DEVICE_FN void input_line(const Call &c, int r, int line) {
    const int n = width_of(c);
    const Number *x = in_of(c, 0, r) + (size_t)line * n, *dy = dout_of(c, r) + (size_t)line * n, *g = in_of(c, 1, r);
    const float *save = at(c.save, r) + 2 * (size_t)line;
    const Target dx = din_of(c, 0, r) + (size_t)line * n;
    float mean = save[0], inverse = save[1], sum, dot;
    ROW_REDUCE(n, sum, lane = CANON_FMA(dy[i], g[i], lane));
    ROW_REDUCE(n, dot, lane = CANON_FMA(dy[i] * g[i], (x[i] - mean) * inverse, lane));
    sum /= (float)n, dot /= (float)n;
    for (int i = lane_id(); i < n; i += WARP) {
        float h = (x[i] - mean) * inverse;
        put(dx + i, CANON_FMA(-h, dot, CANON_FMA(dy[i], g[i], -sum)) * inverse, c.accumulate[0]);
    }
}

struct GainFactors {
    const Number *x, *dy;
    const float *save;
    int n;
    /* Return the factors of a column of the gain, or (behind those) of the bias. */
    DEVICE_METHOD Factors operator()(int row, int column) const {
        size_t e = (size_t)row * n + column % n;
        float h = (x[e] - save[2 * (size_t)row]) * save[2 * (size_t)row + 1];
        Factors f = {dy[e], column < n ? h : 1};
        return f;
    }
};

static inline __host__ __device__ int gain_columns(const Call &c) {
    return c.din[1].at || c.din[2].at ? 2 * width_of(c) : 0;
}

DEVICE_FN void gains(const Call &c, float *near, int r, int column) {
    const int n = width_of(c);
    const GainFactors of = {in_of(c, 0, r), dout_of(c, r), at(c.save, r), n};
    float total = column_chain_in<SHORT_ROWS>(near, lines_of(c), CANON_BLOCK, column, 2 * n, of);
    if (threadIdx.x >= WARP || column >= 2 * n) return;
    float *gain = at(c.din[1], r), *bias = at(c.din[2], r);
    if (column < n && gain) put(gain + column, total, c.accumulate[1]);
    if (column >= n && bias) put(bias + column - n, total, c.accumulate[2]);
}

STAGES(layernorm,
       {{"layernorm.forward", BODY(forward, Call), each_line, NULL, TOUCH_in0 | TOUCH_out | TOUCH_save, NULL, false}},
       {NORM_BACKWARD("layernorm.backward")},
       NULL);

AFTER_RESIDUAL(layernorm);
