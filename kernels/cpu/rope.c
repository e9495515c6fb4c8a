/* x = [q | k | v]; every head of q and k is pairs (a, b) of neighbouring columns, turned by the row's position:
 *   y = (a cos t - b sin t, a sin t + b cos t),  t = position 10000^(-2 pair / head size)   (Su et al. 2021)
 * dx is dy turned back. v passes. scratch: cosine and sine of every position and pair. */
#include "kernels/rope.h"

#include "kernels/cpu/real.h"

static int size_of(const Call *c) {
    return c->in[0].cols / 3 / c->attr.heads;
}

static real *waves(const Call *c) {
    real *to = c->scratch;
    int size = size_of(c);
    for (int pair = 0; pair < size / 2; pair++) {
#ifdef REAL_DOUBLE
        double frequency = pow(ROPE_BASE, -2.0 * pair / size);
        for (int t = 0; t < c->attr.seq; t++) {
            real *wave = to + (size_t)t * (size_t)size + 2 * pair;
            wave[0] = cos(t * frequency), wave[1] = sin(t * frequency);
        }
#else
        uint64_t frequency = rope_frequency(pair, size);
        for (int t = 0; t < c->attr.seq; t++) {
            real *wave = to + (size_t)t * (size_t)size + 2 * pair;
            wave[0] = rope_wave((uint64_t)t * frequency, 1), wave[1] = rope_wave((uint64_t)t * frequency, 0);
        }
#endif
    }
    return to;
}

/* Turn the pairs of a row; way -1: backwards. */
static void turn(real *y, const real *x, const real *wave, int heads, int size, real way, bool accumulate) {
    for (int head = 0; head < heads; head++, x += size, y += size)
        for (int i = 0; i < size; i += 2) {
            real cosine = wave[i], sine = way * wave[i + 1], a = x[i], b = x[i + 1];
            put(&y[i], r_fma(-sine, b, cosine * a), accumulate);
            put(&y[i + 1], r_fma(sine, a, cosine * b), accumulate);
        }
}

static void turn_rows(const Call *c, View to, View from, real way, bool accumulate) {
    const real *wave = waves(c);
    int heads = c->attr.heads, size = size_of(c), d = heads * size;
    Share rows = call_share(c, from.rows);
    for (int r = 0; r < c->replicas; r++)
        for (int row = rows.from; row < rows.to; row++) {
            const real *x = at(from, r) + (size_t)row * 3 * (size_t)d;
            real *y = at(to, r) + (size_t)row * 3 * (size_t)d;
            turn(y, x, wave + (size_t)(row % c->attr.seq) * (size_t)size, 2 * heads, size, way, accumulate);
            for (int i = 2 * d; i < 3 * d; i++) put(&y[i], x[i], accumulate);
        }
}

static void forward(const Call *c) {
    turn_rows(c, c->out, c->in[0], 1, false);
}

static void backward(const Call *c) {
    if (c->din[0].at) turn_rows(c, c->din[0], c->dout, -1, c->accumulate[0]);
}

static size_t scratch(const Call *c) {
    return (size_t)c->attr.seq * (size_t)size_of(c) * sizeof(real);
}

KERNEL(rope, forward, backward, scratch);
