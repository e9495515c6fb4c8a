/* y = x keep / (1 - p). Element e of step s is kept when Philox(seed, stream, s 2^40 + e) >= p 2^32; backward draws the
 * same numbers again, so no mask is stored. With drop_below = 0 (p = 0, or evaluation) y = x. A thread draws one block
 * of four. */
#include "kernels/cuda/fours.cuh"

DEVICE_FN void mask(const Call &c, Target y, const Number *x, bool accumulate) {
    const Scalars *s = &c.scalars[blockIdx.z];
    const Fours here = fours_of(c.out);
    const uint32_t below = s->drop_below;
    uint32_t word[FOUR] = {0, 0, 0, 0};
    float kept[FOUR];
    if (!here.exist) return;
    /* index among all passes over a batch */
    uint64_t place = (uint64_t)s->pass * (uint64_t)c.out.rows * (uint64_t)c.out.cols + here.first;
    if (below) draw_block(word, s->seed, c.attr.stream, philox_offset(s->step, place) >> 2);
    read_fours(kept, x, here);
#pragma unroll
    for (int i = 0; i < FOUR; i++)
        if (below) kept[i] = kept[i] * (word[i] >= below ? (float)s->drop_scale : 0);
    put_fours(y, kept, here, accumulate);
}

KERNEL_FN(forward, THREADS, Call, c) {
    mask(c, out_of(c, (int)blockIdx.z), in_of(c, 0, (int)blockIdx.z), false);
}

KERNEL_FN(backward, THREADS, Call, c) {
    mask(c, din_of(c, 0, (int)blockIdx.z), dout_of(c, (int)blockIdx.z), c.accumulate[0]);
}

STAGES(dropout, {{"dropout.forward", BODY(forward, Call), each_four, NULL, TOUCH_in0 | TOUCH_out, NULL, true}},
       {{"dropout.backward", BODY(backward, Call), each_four_back, NULL, TOUCH_dout | TOUCH_din0, NULL, true}}, NULL);
