/* y = g f(x) + b with f bounded and elementwise, g and b one row each; dx = dy g f'(x), dg = sum of dy f(x) over rows,
 * db = sum of dy. A file that includes this defines squash(x) = f and squash_slope(x, f) = f'. */
#ifndef KERNELS_CUDA_SQUASH_CUH
#define KERNELS_CUDA_SQUASH_CUH

#include "kernels/cuda/columns.cuh"
#include "kernels/cuda/fours.cuh"

DEVICE_FN float squash(float x);
DEVICE_FN float squash_slope(float x, float f);

/* Call each(x, columns) for a thread's share of x: neighbours' places in x, and in a row. */
template <typename Each>
DEVICE_FN void each_share(const Call &c, const Each &each) {
    each_in_row(c.out, [&](int e, int by) {
        const Fours x = {(size_t)e, by}, columns = {(size_t)(e % c.out.cols), by};
        each(x, columns);
    });
}

KERNEL_FN(forward, THREADS, Call, c) {
    const int r = (int)blockIdx.z;
    each_share(c, [&](Fours of_x, Fours columns) {
        float x[FOUR], g[FOUR], b[FOUR];
        read_fours(x, in_of(c, 0, r), of_x);
        read_fours(g, in_of(c, 1, r), columns), read_fours(b, in_of(c, 2, r), columns);
#pragma unroll
        for (int i = 0; i < FOUR; i++) x[i] = CANON_FMA(squash(x[i]), g[i], b[i]);
        put_fours(out_of(c, r), x, of_x, false);
    });
}

KERNEL_FN(input, AT_LEAST(6, THREADS), Call, c) {
    const int r = (int)blockIdx.z;
    each_share(c, [&](Fours of_x, Fours columns) {
        float x[FOUR], g[FOUR], dy[FOUR];
        read_fours(x, in_of(c, 0, r), of_x), read_fours(dy, dout_of(c, r), of_x);
        read_fours(g, in_of(c, 1, r), columns);
#pragma unroll
        for (int i = 0; i < FOUR; i++) x[i] = dy[i] * g[i] * squash_slope(x[i], squash(x[i]));
        put_fours(din_of(c, 0, r), x, of_x, c.accumulate[0]);
    });
}

struct GainFactors {
    const Number *x, *dy;
    int d;
    /* Columns of the gain, then of the bias. */
    DEVICE_METHOD Factors operator()(int row, int column) const {
        size_t e = (size_t)row * d + column % d;
        Factors f = {dy[e], 1};
        if (column < d) f.b = squash(x[e]);
        return f;
    }
};

KERNEL_FN(gains, THREADS, Call, c) {
    int r = (int)blockIdx.z, d = c.out.cols, column = column_here();
    const GainFactors of = {in_of(c, 0, r), dout_of(c, r), d};
    float total = column_chain(c.out.rows, CANON_BLOCK, column, 2 * d, of);
    if (threadIdx.x >= WARP || column >= 2 * d) return;
    float *gain = at(c.din[1], r), *bias = at(c.din[2], r);
    if (column < d && gain) put(gain + column, total, c.accumulate[1]);
    if (column >= d && bias) put(bias + column - d, total, c.accumulate[2]);
}

static Grid each_column(const Call *c) {
    return c->din[1].at || c->din[2].at ? grid_of_columns(c, 2 * (size_t)c->out.cols) : no_grid();
}

#define SQUASH(op) \
    STAGES(op, \
           {{#op ".forward", BODY(forward, Call), each_four, NULL, TOUCH_in0 | TOUCH_in1 | TOUCH_in2 | TOUCH_out, \
             NULL, true}}, \
           {{#op ".input", BODY(input, Call), each_four_back, NULL, \
             TOUCH_in0 | TOUCH_in1 | TOUCH_dout | TOUCH_din0, NULL, true}, \
            {#op ".gains", BODY(gains, Call), each_column, NULL, TOUCH_in0 | TOUCH_dout | TOUCH_din1 | TOUCH_din2, \
             NULL, false}}, \
           NULL)

#endif
