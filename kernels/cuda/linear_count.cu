/* Count numbers in a library's products that are stored as bf16 (product.h). The gelu that comes next reads such a
 * product in either pass and counts it along. */
#include "kernels/cuda/elementwise.cuh"
#include "kernels/cuda/gelu.cuh"

#if NARROW

enum { EIGHT = 8, SIXTEEN = 2 * EIGHT };
struct alignas(16) EightWords {
    uint16_t word[EIGHT];
};

/* Count sixteen numbers a thread; few of them are counted. */
DEVICE_FN void count_words(const Target &words, const View like) {
    const size_t n = (size_t)like.rows * (size_t)like.cols;
    const size_t first = ((size_t)blockIdx.x * THREADS + threadIdx.x) * SIXTEEN;
    const Number *from = words.to + first;
    bool some = true;
    if (first >= n) return;
    if (first + SIXTEEN <= n && lies_by(from, 0, EIGHT)) {
        const EightWords half[] = {((const EightWords *)from)[0], ((const EightWords *)from)[1]};
        some = false;
#pragma unroll
        for (int i = 0; i < SIXTEEN; i++) some |= may_count(number_of(half[i / EIGHT].word[i % EIGHT]));
    }
#pragma unroll 1
    for (size_t i = first; some && i < first + SIXTEEN && i < n; i++) {
        const float x = words.to[i];
        if (may_count(x)) count_number(words.count, words.now, x);
    }
}

KERNEL_FN(count_output, THREADS, Call, c) {
    count_words(out_of(c, (int)blockIdx.z), c.out);
}

KERNEL_FN(count_input, THREADS, Call, c) {
    count_words(din_of(c, 0, (int)blockIdx.z), c.in[0]);
}

/* Count the numbers stored at `words`, one after the other, if any of them may count. */
DEVICE_FN void count_fours(const Target &words, const float (&x)[FOUR]) {
    bool some = false;
#pragma unroll
    for (int i = 0; i < FOUR; i++) some |= may_count(x[i]);
    if (!some || !words.count) return;
#pragma unroll 1
    for (int i = 0; i < FOUR; i++) {
        const float number = i == 0 ? x[0] : i == 1 ? x[1] : i == 2 ? x[2] : x[3]; /* avoids an array in memory */
        if (may_count(number)) count_number(words.count, words.now, number);
    }
}

DEVICE_FN void load_counted(float (&x)[FOUR], const Target &words) {
    load(x, words), count_fours(words, x);
}

DEVICE_FN void store_counted(const Target &words, const float (&x)[FOUR]) {
    const Target uncounted = {words.to, NULL, NULL};
    store(uncounted, x), count_fours(words, x);
}

/* Call each(first) for a thread's FOURS_EACH fours of a gelu; a block's threads take neighbours. */
enum { FOURS_EACH = 2 };
template <typename Each>
DEVICE_FN void each_four_of(const View v, const Each &each) {
    const size_t n = (size_t)v.rows * (size_t)v.cols;
#pragma unroll
    for (int k = 0; k < FOURS_EACH; k++) {
        const size_t first = (((size_t)blockIdx.x * FOURS_EACH + k) * THREADS + threadIdx.x) * FOUR;
        if (first < n) each(first);
    }
}

KERNEL_FN(count_gelu, THREADS, Two, t) {
    const int r = (int)blockIdx.z;
    const Target y = out_of(t.first, r), to = out_of(t.second, r);
    each_four_of(t.second.out, [&](size_t first) {
        float x[FOUR];
        load_counted(x, y + first);
#pragma unroll
        for (int i = 0; i < FOUR; i++) x[i] = gelu_fast_value(x[i]);
        store_counted(to + first, x);
    });
}

/* Count dy and compute the gelu's gradient, which may be written over dy. */
KERNEL_FN(count_gelu_slope, THREADS, Two, t) {
    const int r = (int)blockIdx.z;
    const Number *in = in_of(t.second, 0, r);
    const Target dy = din_of(t.first, 0, r), dx = din_of(t.second, 0, r);
    each_four_of(t.second.out, [&](size_t first) {
        float x[FOUR], d[FOUR], there[FOUR] = {0, 0, 0, 0};
        load_counted(d, dy + first), load(x, in + first);
        if (t.second.accumulate[0]) load(there, dx + first);
#pragma unroll
        for (int i = 0; i < FOUR; i++) {
            d[i] = d[i] * gelu_fast_slope(x[i]);
            d[i] = t.second.accumulate[0] ? there[i] + d[i] : d[i];
        }
        store_counted(dx + first, d);
    });
}

static Grid each_sixteen(const Call *c, const View v) {
    return grid_of(c, ((size_t)v.rows * (size_t)v.cols + SIXTEEN - 1) / SIXTEEN);
}

static Grid each_output(const Call *c) {
    return c->count_out ? each_sixteen(c, c->out) : no_grid();
}

static Grid each_input(const Call *c) {
    return c->din[0].at && c->count_din[0] ? each_sixteen(c, c->in[0]) : no_grid();
}

/* Return true if the tensor is whole fours. */
static bool in_fours(const View v) {
    return ((uintptr_t)v.at | v.stride) % (FOUR * sizeof(uint16_t)) == 0 && view_words(v) % FOUR == 0;
}

static Grid each_four_of_gelu(const Two *t) {
    const Call *gelu = &t->second;
    const bool all = in_fours(gelu->in[0]) && in_fours(gelu->out) && in_fours(gelu->dout) && in_fours(gelu->din[0]);
    const size_t n = (size_t)gelu->out.rows * (size_t)gelu->out.cols;
    return all ? grid_of(gelu, (n / FOUR + FOURS_EACH - 1) / FOURS_EACH) : no_grid();
}

/* Define the stages; a gradient that is read is as large as its input. */
STAGES(linear_count, {{"linear.count_output", BODY(count_output, Call), each_output, NULL, TOUCH_out, NULL, true}},
       {{"linear.count_input", BODY(count_input, Call), each_input, NULL, TOUCH_in0, NULL, true}}, NULL);

extern "C" const Fusion SYMBOL(linear_count_gelu)[2];
extern "C" const Fusion SYMBOL(linear_count_gelu)[2] = {
    {OP_linear, OP_gelu, FUSED_forward,
     {{"linear.count, gelu_fast.forward", BODY(count_gelu, Two), each_four_of_gelu, NULL, TOUCH_out, TOUCH_out, NULL}}},
    {OP_linear, OP_gelu, FUSED_backward,
     {{"linear.count, gelu_fast.backward", BODY(count_gelu_slope, Two), each_four_of_gelu, NULL, TOUCH_din0,
       TOUCH_in0 | TOUCH_din0, NULL}}}};

#endif
