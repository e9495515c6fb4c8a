/* nll = logsumexp(x) - sum q x in nats, q = (1 - s) onehot + s / columns; a row with target -1 gives 0 and no gradient.
 * save: logsumexp; 1 where the target's logit is the (first) largest.   dx = (softmax(x) - q) dnll
 * A warp for each row. */
#include "kernels/cuda/device.cuh"

/* Return true if no logit is larger than the target's, and none before it as large. */
DEVICE_FN bool is_first_largest(const Number *x, int target, float most) {
    bool before = false;
    if (target < 0 || x[0] != x[0]) return target == 0;
    for (int i = lane_id(); i < target; i += WARP) before = before || x[i] == most;
    return !__any_sync(ALL_LANES, before) && x[target] == most;
}

KERNEL_FN(forward, THREADS, Call, c) {
    int r = (int)blockIdx.z, v = c.in[0].cols, row = warp_row();
    if (row >= c.out.rows) return;
    const Number *x = in_of(c, 0, r) + (size_t)row * v;
    int target = ids(c.in[1], r)[row];
    float *save = at(c.save, r) + 2 * (size_t)row, most = row_max(x, v), sum, all = 0;
    float smoothing = (float)c.scalars[r].smoothing;
    ROW_REDUCE(v, sum, lane += canon_exp(x[i] - most));
    if (smoothing > 0) all = row_sum(x, v);
    bool hit = is_first_largest(x, target, most);
    if (lane_id()) return;
    save[0] = most + canon_log(sum);
    save[1] = (float)hit;
    float nll = target < 0 ? 0 : save[0] - x[target];
    if (smoothing > 0 && target >= 0) nll = CANON_FMA(smoothing, x[target] - all / (float)v, nll);
    at(c.out, r)[row] = nll;
}

KERNEL_FN(backward, THREADS, Call, c) {
    int r = (int)blockIdx.z, v = c.in[0].cols, row = warp_row();
    if (row >= c.out.rows) return;
    const Number *x = in_of(c, 0, r) + (size_t)row * v;
    const Target dx = din_of(c, 0, r) + (size_t)row * v;
    float lse = at(c.save, r)[2 * (size_t)row], dy = at(c.dout, r)[row];
    float smoothing = (float)c.scalars[r].smoothing, even = smoothing / (float)v;
    int target = ids(c.in[1], r)[row];
    for (int i = lane_id(); i < v; i += WARP) {
        float e = canon_exp(x[i] - lse);
        if (i == target) e -= 1 - smoothing;
        if (target >= 0) put(dx + i, (e - even) * dy, c.accumulate[0]);
        else if (!c.accumulate[0]) dx[i] = 0;
    }
}

static Grid each_row(const Call *c) {
    return grid_of_rows(c, (size_t)c->out.rows);
}

static Grid each_row_back(const Call *c) {
    return c->din[0].at ? each_row(c) : no_grid();
}

STAGES(xent,
       {{"xent.forward", BODY(forward, Call), each_row, NULL, TOUCH_in0 | TOUCH_in1 | TOUCH_out | TOUCH_save, NULL,
         false}},
       {{"xent.backward", BODY(backward, Call), each_row_back, NULL,
         TOUCH_in0 | TOUCH_in1 | TOUCH_save | TOUCH_dout | TOUCH_din0, NULL, true}},
       NULL);
