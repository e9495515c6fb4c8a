/* y = g x / sqrt((sum x^2 + (sum x)^2) / (n + 1) + eps), in groups: CRMSNorm (Jiang et al. 2023), which is the RMS norm
 * of the n + 1 numbers x and -sum x, whose mean is 0. save: the sum, 1/rms per group.
 *   h = x / rms, dh = dy g:  dx = (dh - (x + sum x) / rms * sum(dh h) / (n + 1)) / rms;  dg = sum of dy h over rows */
#include "kernels/cpu/rms.h"

static void forward(const Call *c) {
    EACH_LINE(c, {
        const real *x = at(c->in[0], r) + first, *g = at(c->in[1], r);
        real *y = at(c->out, r) + first, *save = at(c->save, r) + 2 * line, sum = row_sum(x, n);
        real inverse = 1 / r_sqrt(r_fma(sum, sum, row_dot(x, x, n)) / (real)(n + 1) + (real)c->attr.eps);
        for (int i = 0; i < n; i++) y[i] = x[i] * inverse * g[i];
        save[0] = sum, save[1] = inverse;
    });
}

static inline void input_line(real *restrict dx, const real *restrict dy, const real *restrict x,
                              const real *restrict g, const real *save, int n, bool accumulate) {
    const real sum = save[0], inverse = save[1];
    real dot;
    ROW_REDUCE(n, dot, lane[j] = r_fma(dy[i] * g[i], x[i] * inverse, lane[j]));
    dot /= (real)(n + 1);
    for (int i = 0; i < n; i++) put(&dx[i], r_fma(-((x[i] + sum) * inverse), dot, dy[i] * g[i]) * inverse, accumulate);
}

static void backward(const Call *c) {
    rms_gradients(c, input_line);
}

KERNEL(crms, forward, backward, gain_scratch);
