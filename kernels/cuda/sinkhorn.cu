/* x = a matrix of n x n in each row, y = exp(x - max x), then SINKHORN_STEPS times each column divided by its sum, then
 * each row by its sum. A sum is a chain in ascending order.
 * Of y = m / s with s a sum of m's: dm = (dy - sum(dy y)) / s, and m = y s; last, dx = dm m with m = exp(x - max x).
 * save: y, then the sums in the order in which they divide. A thread for each row of the tensor. */
#include "kernels/cuda/device.cuh"

DEVICE_FN void divide(float *m, float *sums, int n, int line, int step) {
    for (int l = 0; l < n; l++) {
        float sum = 0;
        for (int k = 0; k < n; k++) sum += m[l * line + k * step];
        for (int k = 0; k < n; k++) m[l * line + k * step] /= sum;
        sums[l] = sum;
    }
}

DEVICE_FN void undo(float *d, float *m, const float *sums, int n, int line, int step) {
    for (int l = 0; l < n; l++) {
        float dot = 0;
        for (int k = 0; k < n; k++) dot = CANON_FMA(d[l * line + k * step], m[l * line + k * step], dot);
        for (int k = 0; k < n; k++) {
            const int i = l * line + k * step;
            d[i] = (d[i] - dot) / sums[l];
            m[i] *= sums[l];
        }
    }
}

KERNEL_FN(forward, THREADS, Call, c) {
    const int r = (int)blockIdx.z, row = thread_index(), n = c.attr.group, all = n * n;
    if (row >= c.out.rows) return;
    const Number *x = in_of(c, 0, r) + (size_t)row * all;
    float *y = at(c.save, r) + (size_t)row * c.save.cols, *sums = y + all, most = x[0];
    for (int i = 1; i < all; i++) most = most < x[i] ? (float)x[i] : most;
    for (int i = 0; i < all; i++) y[i] = canon_exp(x[i] - most);
    for (int step = 0; step < SINKHORN_STEPS; step++, sums += 2 * n) {
        divide(y, sums, n, 1, n);
        divide(y, sums + n, n, n, 1);
    }
    const Target out = out_of(c, r) + (size_t)row * all;
    for (int i = 0; i < all; i++) out[i] = y[i];
}

KERNEL_FN(backward, THREADS, Call, c) {
    const int r = (int)blockIdx.z, row = thread_index(), n = c.attr.group, all = n * n;
    if (row >= c.out.rows) return;
    const Number *dy = dout_of(c, r) + (size_t)row * all;
    const float *y = at(c.save, r) + (size_t)row * c.save.cols, *sums = y + all;
    float *m = (float *)c.scratch + ((size_t)r * c.out.rows + row) * 2 * all, *d = m + all;
    for (int i = 0; i < all; i++) m[i] = y[i], d[i] = dy[i];
    for (int step = SINKHORN_STEPS; step--;) {
        undo(d, m, sums + (2 * step + 1) * n, n, n, 1);
        undo(d, m, sums + 2 * step * n, n, 1, n);
    }
    const Target dx = din_of(c, 0, r) + (size_t)row * all;
    for (int i = 0; i < all; i++) put(dx + i, d[i] * m[i], c.accumulate[0]);
}

static Grid each_matrix(const Call *c) {
    return grid_of(c, (size_t)c->out.rows);
}

static Grid each_matrix_back(const Call *c) {
    return c->din[0].at ? each_matrix(c) : no_grid();
}

static size_t scratch(const Call *c) {
    return (size_t)c->replicas * (size_t)c->out.rows * 2 * (size_t)c->out.cols * sizeof(float);
}

static double scratch_bytes(const Call *c) {
    return 8.0 * c->out.rows * c->out.cols;
}

STAGES(sinkhorn,
       {{"sinkhorn.forward", BODY(forward, Call), each_matrix, NULL, TOUCH_in0 | TOUCH_save | TOUCH_out, NULL, false}},
       {{"sinkhorn.backward", BODY(backward, Call), each_matrix_back, NULL, TOUCH_save | TOUCH_dout | TOUCH_din0,
         scratch_bytes, false}},
       scratch);
