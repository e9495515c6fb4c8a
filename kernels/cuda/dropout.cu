/* y = x keep / (1 - p). Element e of step s is kept when Philox(seed, stream, s 2^40 + e) >= p 2^32; backward draws the
 * same words again, so no mask is stored. With drop_below = 0 (p = 0, or evaluation) y = x. A thread draws one block of
 * four words. */
#include "kernels/cuda/device.cuh"

DEVICE_FN void mask(const Call &c, float *y, const float *x, bool accumulate) {
    const Scalars *s = &c.scalars[blockIdx.z];
    int n = c.out.rows * c.out.cols, first = 4 * thread_index();
    uint32_t word[4] = {0, 0, 0, 0}, below = s->drop_below;
    if (first >= n) return;
    uint64_t place = (uint64_t)s->pass * (uint64_t)n + (uint64_t)first; /* among all passes over a batch */
    if (below) draw_block(word, s->seed, c.attr.stream, philox_offset(s->step, place) >> 2);
    for (int i = 0; i < 4 && first + i < n; i++) {
        float kept = x[first + i];
        if (below) kept = kept * (word[i] >= below ? (float)s->drop_scale : 0);
        put(&y[first + i], kept, accumulate);
    }
}

KERNEL_FN(forward, THREADS, Call, c) {
    mask(c, at(c.out, (int)blockIdx.z), at(c.in[0], (int)blockIdx.z), false);
}

KERNEL_FN(backward, THREADS, Call, c) {
    mask(c, at(c.din[0], (int)blockIdx.z), at(c.dout, (int)blockIdx.z), c.accumulate[0]);
}

static Grid each_four(const Call *c) {
    return grid_of(c, ((size_t)c->out.rows * (size_t)c->out.cols + 3) / 4);
}

static Grid each_four_back(const Call *c) {
    return c->din[0].at ? each_four(c) : no_grid();
}

STAGES(dropout, {{"dropout.forward", BODY(forward, Call), each_four, NULL, TOUCH_in0 | TOUCH_out, NULL, true}},
       {{"dropout.backward", BODY(backward, Call), each_four_back, NULL, TOUCH_dout | TOUCH_din0, NULL, true}}, NULL);
