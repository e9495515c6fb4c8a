/* nll = logsumexp(x) - x[target] in nats; a row with target -1 gives 0 and no gradient.
 * save: logsumexp; 1 where the target's logit is the (first) largest.   dx = (softmax(x) - onehot) dnll */
#include "kernels/cpu/real.h"

static void forward(const Call *c) {
    int v = c->in[0].cols;
    for (int r = 0; r < c->replicas; r++)
        for (int row = 0; row < c->out.rows; row++) {
            const real *x = at(c->in[0], r) + (size_t)row * (size_t)v;
            int target = ids(c->in[1], r)[row], best = 0;
            real *save = at(c->save, r) + 2 * (size_t)row, most = row_max(x, v), sum;
            for (int i = 1; i < v; i++) best = x[i] > x[best] ? i : best;
            ROW_REDUCE(v, sum, lane[j] += r_exp(x[i] - most));
            save[0] = most + r_log(sum);
            save[1] = (real)(target >= 0 && best == target);
            at(c->out, r)[row] = target < 0 ? 0 : save[0] - x[target];
        }
}

static void backward(const Call *c) {
    int v = c->in[0].cols;
    for (int r = 0; c->din[0].at && r < c->replicas; r++)
        for (int row = 0; row < c->out.rows; row++) {
            const real *x = at(c->in[0], r) + (size_t)row * (size_t)v;
            real *dx = at(c->din[0], r) + (size_t)row * (size_t)v, lse = at(c->save, r)[2 * (size_t)row];
            int target = ids(c->in[1], r)[row];
            real dy = at(c->dout, r)[row];
            if (target < 0) {
                if (!c->accumulate[0]) memset(dx, 0, (size_t)v * sizeof(real));
                continue;
            }
            for (int i = 0; i < v; i++) put(&dx[i], (r_exp(x[i] - lse) - (real)(i == target)) * dy, c->accumulate[0]);
        }
}

KERNEL(xent, forward, backward, NULL);
