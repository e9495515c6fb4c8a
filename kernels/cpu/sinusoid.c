/* y = x + PE(position), the position encoding of Vaswani et al. 2017, section 3.5; x has d columns
 *   PE(p, 2i) = sin(p 10000^(-2i/d))     PE(p, 2i + 1) = cos(p 10000^(-2i/d))
 * Positions are ids, so that a batch may have several sequences anywhere. dx is dy.
 * scratch: a frequency for every pair of columns. */
#include "kernels/rope.h"

#include "kernels/cpu/elementwise.h"

#ifdef REAL_DOUBLE
typedef double Frequency;

static Frequency frequency_of(int pair, int d) {
    return pow(ROPE_BASE, -2.0 * pair / d);
}

static real wave(int32_t position, Frequency f, int cosine) {
    return cosine ? cos(position * f) : sin(position * f);
}
#else
typedef uint64_t Frequency;

static Frequency frequency_of(int pair, int d) {
    return rope_frequency(pair, d);
}

static real wave(int32_t position, Frequency f, int cosine) {
    return rope_wave((uint64_t)position * f, cosine);
}
#endif

static void forward(const Call *c) {
    int d = c->out.cols;
    Share rows = call_share(c, c->out.rows);
    Frequency *f = c->scratch;
    for (int i = 0; i < d; i += 2) f[i / 2] = frequency_of(i / 2, d);
    for (int r = 0; r < c->replicas; r++) {
        const real *x = at(c->in[0], r) + (size_t)rows.from * (size_t)d;
        real *y = at(c->out, r) + (size_t)rows.from * (size_t)d;
        const int32_t *position = ids(c->in[1], r);
        for (int row = rows.from; row < rows.to; row++, x += d, y += d)
            for (int i = 0; i < d; i++) y[i] = x[i] + wave(position[row], f[i / 2], i & 1);
    }
}

static void backward(const Call *c) {
    for (int r = 0; r < c->replicas; r++) pass_gradient(c, r);
}

static size_t scratch(const Call *c) {
    return (size_t)(c->out.cols + 1) / 2 * sizeof(Frequency);
}

KERNEL(sinusoid, forward, backward, scratch);
