/* x = [q | k | v]; every head of q and k is pairs (a, b) of neighbouring columns, turned by the row's position:
 *   y = (a cos t - b sin t, a sin t + b cos t),  t = position 10000^(-2 pair / head size)
 * dx is dy turned back. v passes. scratch: cosine and sine of every position and pair, the same for all replicas. */
#include "kernels/rope.h"

#include "kernels/cuda/device.cuh"

static inline __host__ __device__ int size_of(const Call &c) {
    return c.in[0].cols / 3 / c.attr.heads;
}

KERNEL_FN(waves, THREADS, Call, c) {
    int i = thread_index(), size = size_of(c), pair = i % (size / 2), position = i / (size / 2);
    if (position >= c.attr.seq) return;
    uint64_t turns = (uint64_t)position * rope_frequency(pair, size);
    float *wave = (float *)c.scratch + 2 * (size_t)i;
    wave[0] = rope_wave(turns, 1), wave[1] = rope_wave(turns, 0);
}

/* Turn a pair of columns per thread. */
DEVICE_FN void turn(const Call &c, Target to, const Number *from, float way, bool accumulate) {
    int size = size_of(c), cols = c.in[0].cols, i = thread_index();
    if (i >= c.in[0].rows * (cols / 2)) return;
    int row = i / (cols / 2), column = 2 * (i % (cols / 2));
    const Number *x = from + (size_t)row * cols + column;
    const Target y = to + (size_t)row * cols + column;
    float a = x[0], b = x[1];
    if (column < cols / 3 * 2) {
        const float *wave = (const float *)c.scratch + (size_t)(row % c.attr.seq) * size + column % size;
        float cosine = wave[0], sine = way * wave[1];
        put(y + 0, CANON_FMA(-sine, b, cosine * a), accumulate);
        put(y + 1, CANON_FMA(sine, a, cosine * b), accumulate);
    } else {
        put(y + 0, a, accumulate);
        put(y + 1, b, accumulate);
    }
}

KERNEL_FN(forward, THREADS, Call, c) {
    turn(c, out_of(c, (int)blockIdx.z), in_of(c, 0, (int)blockIdx.z), 1, false);
}

KERNEL_FN(backward, THREADS, Call, c) {
    turn(c, din_of(c, 0, (int)blockIdx.z), dout_of(c, (int)blockIdx.z), -1, c.accumulate[0]);
}

/* Launch a thread for each angle, once for all replicas. */
static Grid each_wave(const Call *c) {
    Grid g = grid_of(c, (size_t)c->attr.seq * (size_t)(size_of(*c) / 2));
    g.z = 1;
    return g;
}

static Grid each_wave_back(const Call *c) {
    return c->din[0].at ? each_wave(c) : no_grid();
}

static Grid each_pair(const Call *c) {
    return grid_of(c, (size_t)c->out.rows * (size_t)(c->out.cols / 2));
}

static Grid each_pair_back(const Call *c) {
    return c->din[0].at ? each_pair(c) : no_grid();
}

static size_t scratch(const Call *c) {
    return (size_t)c->attr.seq * (size_t)size_of(*c) * sizeof(float);
}

static double scratch_bytes(const Call *c) {
    return (double)scratch(c);
}

STAGES(rope,
       {{"rope.waves", BODY(waves, Call), each_wave, NULL, 0, scratch_bytes, true},
        {"rope.forward", BODY(forward, Call), each_pair, NULL, TOUCH_in0 | TOUCH_out, scratch_bytes, true}},
       {{"rope.waves", BODY(waves, Call), each_wave_back, NULL, 0, scratch_bytes, true},
        {"rope.backward", BODY(backward, Call), each_pair_back, NULL, TOUCH_dout | TOUCH_din0, scratch_bytes, true}},
       scratch);
