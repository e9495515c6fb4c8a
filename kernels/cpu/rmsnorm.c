/* y = g x / sqrt(mean(x^2) + eps), in groups (Zhang and Sennrich 2019). save: 1/rms in the second of each pair. */
#include "kernels/cpu/rms.h"

static void forward(const Call *c) {
    EACH_LINE(c, {
        const real *x = at(c->in[0], r) + first, *g = at(c->in[1], r);
        at(c->save, r)[2 * line + 1] = rms_forward(at(c->out, r) + first, x, g, n, (real)c->attr.eps);
    });
}

static inline void input_line(real *restrict dx, const real *restrict dy, const real *restrict x,
                              const real *restrict g, const real *save, int n, bool accumulate) {
    rms_backward(dx, dy, x, g, save[1], n, accumulate);
}

static void backward(const Call *c) {
    rms_gradients(c, input_line);
}

KERNEL(rmsnorm, forward, backward, gain_scratch);
