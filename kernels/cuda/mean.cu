/* y = (sum over rows) / count, count the replica's device scalar: padding rows are 0 and not counted. */
#include "kernels/cuda/chain.cuh"

KERNEL_FN(forward, THREADS, Call, c) {
    int r = (int)blockIdx.z;
    float total = chain_sum(at(c.in[0], r), c.in[0].rows);
    if (threadIdx.x == 0) at(c.out, r)[0] = total / (float)c.scalars[r].count;
}

KERNEL_FN(backward, THREADS, Call, c) {
    int r = (int)blockIdx.z, row = thread_index();
    if (row >= c.in[0].rows) return;
    put(at(c.din[0], r) + row, at(c.dout, r)[0] / (float)c.scalars[r].count, c.accumulate[0]);
}

static Grid one_block(const Call *c) {
    return grid_of(c, 1);
}

static Grid each_row(const Call *c) {
    return c->din[0].at ? grid_of(c, (size_t)c->in[0].rows) : no_grid();
}

STAGES(mean, {{"mean.forward", BODY(forward, Call), one_block, NULL, TOUCH_in0 | TOUCH_out, NULL, false}},
       {{"mean.backward", BODY(backward, Call), each_row, NULL, TOUCH_din0, NULL, true}}, NULL);
