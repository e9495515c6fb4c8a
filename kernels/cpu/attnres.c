/* x = k groups of d columns (outputs of earlier layers), w one row of d (arXiv 2603.15031, section 3):
 *   h_i = x_i / sqrt(mean(x_i^2) + eps),  s_i = w . h_i,  a = softmax(s),  y = sum_i a_i x_i, a chain over ascending i
 *   ds_i = a_i (dy . x_i - sum_j a_j dy . x_j)
 *   dx_i = a_i dy + ds_i (w - h_i s_i / d) / rms_i;  dw = sum of ds_i h_i over rows, and in a row over ascending i
 * save: the scores s, then 1/rms, then a. */
#include "kernels/cpu/real.h"

static int groups_of(const Call *c) {
    return c->in[0].cols / c->out.cols;
}

/* Compute a = softmax(s). */
static void softmax(real *a, const real *s, int k) {
    real most = row_max(s, k), sum;
    for (int i = 0; i < k; i++) a[i] = r_exp(s[i] - most);
    sum = row_sum(a, k);
    for (int i = 0; i < k; i++) a[i] /= sum;
}

static void forward(const Call *c) {
    const int d = c->out.cols, k = groups_of(c);
    const Share rows = call_share(c, c->out.rows);
    for (int r = 0; r < c->replicas; r++)
        for (int row = rows.from; row < rows.to; row++) {
            const real *restrict x = at(c->in[0], r) + (size_t)row * (size_t)c->in[0].cols, *w = at(c->in[1], r);
            real *restrict y = at(c->out, r) + (size_t)row * (size_t)d;
            real *s = at(c->save, r) + (size_t)row * 3 * (size_t)k, *inverse = s + k, *a = s + 2 * k;
            for (int i = 0; i < k; i++) {
                const real *xi = x + i * d;
                inverse[i] = 1 / r_sqrt(row_dot(xi, xi, d) / (real)d + (real)c->attr.eps);
                s[i] = row_dot(w, xi, d) * inverse[i];
            }
            softmax(a, s, k);
            memset(y, 0, (size_t)d * sizeof(real));
            for (int i = 0; i < k; i++)
                for (int e = 0; e < d; e++) y[e] = r_fma(a[i], x[i * d + e], y[e]);
        }
}

/* Compute ds[k] of a row. */
static void score_gradient(real *ds, const real *dy, const real *x, const real *a, int k, int d) {
    for (int i = 0; i < k; i++) ds[i] = row_dot(dy, x + i * d, d);
    real mean = row_dot(a, ds, k);
    for (int i = 0; i < k; i++) ds[i] = a[i] * (ds[i] - mean);
}

static void input_gradient(real *restrict dx, const real *restrict dy, const real *restrict x, const real *restrict w,
                           const real *save, const real *ds, int k, int d, bool accumulate) {
    for (int i = 0; i < k; i++, dx += d, x += d) {
        const real inverse = save[k + i], a = save[2 * k + i], slope = ds[i] * inverse, share = save[i] / (real)d;
        for (int e = 0; e < d; e++)
            put(&dx[e], r_fma(a, dy[e], slope * r_fma(-(x[e] * inverse), share, w[e])), accumulate);
    }
}

/* If w has a gradient, every thread computes ds of all rows and sums its columns over them. */
static void backward(const Call *c) {
    const int d = c->out.cols, k = groups_of(c), rows = c->out.rows;
    const Share mine = call_share(c, rows), cols = call_share(c, d);
    const int count = c->din[1].at ? cols.to - cols.from : 0;
    real *ds = c->scratch, *slots = ds + k;
    for (int r = 0; r < c->replicas; r++) {
        const real *w = at(c->in[1], r), *total;
        ROWS_REDUCE(rows, count, slots, total, {
            const bool here = c->din[0].at && row >= mine.from && row < mine.to;
            const size_t first = (size_t)row * (size_t)(k * d);
            const real *x = at(c->in[0], r) + first, *dy = at(c->dout, r) + (size_t)row * (size_t)d;
            const real *save = at(c->save, r) + (size_t)row * 3 * (size_t)k;
            if (here || count) score_gradient(ds, dy, x, save + 2 * k, k, d);
            if (here) input_gradient(at(c->din[0], r) + first, dy, x, w, save, ds, k, d, c->accumulate[0]);
            for (int i = 0; i < k; i++)
                for (int e = 0; e < count; e++) sum[e] = r_fma(ds[i], x[i * d + cols.from + e] * save[k + i], sum[e]);
        });
        for (int e = 0; e < count; e++) put(&at(c->din[1], r)[cols.from + e], total[e], c->accumulate[1]);
    }
}

static size_t scratch(const Call *c) {
    return ((size_t)groups_of(c) + (size_t)tree_slots(c->out.rows) * (size_t)c->out.cols) * sizeof(real);
}

KERNEL(attnres, forward, backward, scratch);
