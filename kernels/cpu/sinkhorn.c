/* x = a matrix of n x n in each row, y = exp(x - max x), then SINKHORN_STEPS times each column divided by its sum, then
 * each row by its sum (Sinkhorn and Knopp 1967; Xie et al. 2025, mHC). A sum is a chain in ascending order.
 * Of y = m / s with s a sum of m's: dm = (dy - sum(dy y)) / s, and m = y s: backward undoes the divisions one by one.
 * Last, dx = dm m with m = exp(x - max x); what the largest number gives the others adds up to 0.
 * save: y, then the sums in the order in which they divide. */
#include "kernels/cpu/real.h"

enum { MOST = SINKHORN_MAX * SINKHORN_MAX };

/* Divides n lines by their sums: number k of line l stands at l * line + k * step. */
static void divide(real *m, real *sums, int n, int line, int step) {
    for (int l = 0; l < n; l++) {
        real sum = 0;
        for (int k = 0; k < n; k++) sum += m[l * line + k * step];
        for (int k = 0; k < n; k++) m[l * line + k * step] /= sum;
        sums[l] = sum;
    }
}

/* The division's gradient into d, and m as it was before. */
static void undo(real *d, real *m, const real *sums, int n, int line, int step) {
    for (int l = 0; l < n; l++) {
        real dot = 0;
        for (int k = 0; k < n; k++) dot = r_fma(d[l * line + k * step], m[l * line + k * step], dot);
        for (int k = 0; k < n; k++) {
            const int i = l * line + k * step;
            d[i] = (d[i] - dot) / sums[l];
            m[i] *= sums[l];
        }
    }
}

static void forward(const Call *c) {
    const int n = c->attr.group, all = n * n;
    const Share rows = call_share(c, c->out.rows);
    for (int r = 0; r < c->replicas; r++)
        for (int row = rows.from; row < rows.to; row++) {
            const real *x = at(c->in[0], r) + (size_t)row * (size_t)all;
            real *y = at(c->save, r) + (size_t)row * (size_t)c->save.cols, *sums = y + all;
            const real most = row_max(x, all);
            for (int i = 0; i < all; i++) y[i] = r_exp(x[i] - most);
            for (int step = 0; step < SINKHORN_STEPS; step++, sums += 2 * n) {
                divide(y, sums, n, 1, n);
                divide(y, sums + n, n, n, 1);
            }
            memcpy(at(c->out, r) + (size_t)row * (size_t)all, y, (size_t)all * sizeof *y);
        }
}

static void backward(const Call *c) {
    const int n = c->attr.group, all = n * n;
    const Share rows = call_share(c, c->out.rows);
    for (int r = 0; c->din[0].at && r < c->replicas; r++)
        for (int row = rows.from; row < rows.to; row++) {
            const real *dy = at(c->dout, r) + (size_t)row * (size_t)all;
            const real *y = at(c->save, r) + (size_t)row * (size_t)c->save.cols, *sums = y + all;
            real *dx = at(c->din[0], r) + (size_t)row * (size_t)all, m[MOST], d[MOST];
            for (int i = 0; i < all; i++) m[i] = y[i], d[i] = dy[i];
            for (int step = SINKHORN_STEPS; step--;) {
                undo(d, m, sums + (2 * step + 1) * n, n, n, 1);
                undo(d, m, sums + 2 * step * n, n, 1, n);
            }
            for (int i = 0; i < all; i++) put(&dx[i], d[i] * m[i], c->accumulate[0]);
        }
}

KERNEL(sinkhorn, forward, backward, NULL);
