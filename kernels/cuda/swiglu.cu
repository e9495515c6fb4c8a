/* x = [a | b]: y = silu(a) b, silu(a) = a s, s = 1 / (1 + e^-a)
 * da = dy b s (1 + a (1 - s)),  db = dy silu(a) */
#include "kernels/cuda/fours.cuh"

DEVICE_FN float sigmoid(float a) {
    return 1 / (1 + canon_exp(-a));
}

/* Call each(y, a, b) for a thread's share of the output: neighbours' places in y, in a and in b. */
template <typename Each>
DEVICE_FN void each_share(const Call &c, const Each &each) {
    each_in_row(c.out, [&](int i, int by) {
        const int n = c.out.cols;
        const size_t first = (size_t)(i / n) * 2 * n + i % n;
        const Fours y = {(size_t)i, by}, a = {first, by}, b = {first + n, by};
        each(y, a, b);
    });
}

KERNEL_FN(forward, AT_LEAST(6, THREADS), Call, c) {
    const int r = (int)blockIdx.z;
    each_share(c, [&](Fours of_y, Fours of_a, Fours of_b) {
        float a[FOUR], b[FOUR];
        read_fours(a, in_of(c, 0, r), of_a), read_fours(b, in_of(c, 0, r), of_b);
#pragma unroll
        for (int i = 0; i < FOUR; i++) a[i] = a[i] * sigmoid(a[i]) * b[i];
        put_fours(out_of(c, r), a, of_y, false);
    });
}

KERNEL_FN(backward, AT_LEAST(6, THREADS), Call, c) {
    const int r = (int)blockIdx.z;
    each_share(c, [&](Fours of_y, Fours of_a, Fours of_b) {
        float a[FOUR], b[FOUR], dy[FOUR];
        read_fours(a, in_of(c, 0, r), of_a), read_fours(b, in_of(c, 0, r), of_b), read_fours(dy, dout_of(c, r), of_y);
#pragma unroll
        for (int i = 0; i < FOUR; i++) {
            const float s = sigmoid(a[i]), x = a[i];
            a[i] = dy[i] * b[i] * (s * CANON_FMA(x, 1 - s, 1.0f)), b[i] = dy[i] * (x * s);
        }
        put_fours(din_of(c, 0, r), a, of_a, c.accumulate[0]), put_fours(din_of(c, 0, r), b, of_b, c.accumulate[0]);
    });
}

STAGES(swiglu, {{"swiglu.forward", BODY(forward, Call), each_four, NULL, TOUCH_in0 | TOUCH_out, NULL, true}},
       {{"swiglu.backward", BODY(backward, Call), each_four_back, NULL, TOUCH_in0 | TOUCH_dout | TOUCH_din0, NULL,
         true}},
       NULL);
