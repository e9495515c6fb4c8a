/* y = x keep / (1 - p). Element e of step s is kept when Philox(seed, stream, s 2^40 + e) >= p 2^32; backward draws the
 * same numbers again, so no mask is stored. With drop_below = 0 (p = 0, or evaluation) y = x. */
#include "base/philox.h"
#include "kernels/cpu/real.h"

enum { BLOCKS = 32, WORDS = 4 * BLOCKS };

#ifndef DRAW /* kernels/cpu/simd/dropout.c defines its own */
/* Draw four words per block, in a loop over independent counters, which compilers vectorize. */
static void draw(uint32_t *word, const Scalars *s, uint64_t stream, uint64_t block, int blocks) {
    uint32_t lane[4][BLOCKS];
    for (int j = 0; j < blocks; j++) {
        uint32_t four[4];
        philox_block(four, s->seed, stream, block + (uint64_t)j);
        for (int w = 0; w < 4; w++) lane[w][j] = four[w];
    }
    for (int j = 0; j < blocks; j++)
        for (int w = 0; w < 4; w++) word[4 * j + w] = lane[w][j];
}
#define DRAW draw
#endif

/* Drop and scale a piece; y may be x. */
static inline void mask_piece(real *y, const real *x, const uint32_t *word, uint32_t below, real keep, size_t n,
                              bool accumulate) {
    real kept[WORDS];
    for (size_t i = 0; i < n; i++) kept[i] = x[i] * (word[i] >= below ? keep : 0);
    for (size_t i = 0; i < n; i++) put(&y[i], kept[i], accumulate);
}

static void mask(const Call *c, int r, View from, View to, bool accumulate) {
    const Scalars *s = &c->scalars[r];
    const real *x = at(from, r), keep = (real)s->drop_scale;
    real *y = at(to, r);
    size_t n = (size_t)c->out.rows * (size_t)c->out.cols;
    Share pieces = call_share(c, (ptrdiff_t)((n + WORDS - 1) / WORDS));
    size_t end = (size_t)pieces.to * WORDS < n ? (size_t)pieces.to * WORDS : n, e = (size_t)pieces.from * WORDS;
    uint32_t word[WORDS], below = s->drop_below;
    if (!below) {
        for (; e < end; e++) put(&y[e], x[e], accumulate);
        return;
    }
    for (; e < end; e += WORDS) {
        const real *from_e = reading(x + e, WORDS);
        real *to_e = writing(y + e, WORDS);
        DRAW(word, s, c->attr.stream, philox_offset(s->step, (uint64_t)s->pass * n + e) >> 2, BLOCKS);
        if (end - e >= WORDS)
            mask_piece(to_e, from_e, word, below, keep, WORDS, accumulate);
        else
            mask_piece(to_e, from_e, word, below, keep, end - e, accumulate);
    }
}

static void forward(const Call *c) {
    for (int r = 0; r < c->replicas; r++) mask(c, r, c->in[0], c->out, false);
}

static void backward(const Call *c) {
    for (int r = 0; c->din[0].at && r < c->replicas; r++) mask(c, r, c->dout, c->din[0], c->accumulate[0]);
}

KERNEL(dropout, forward, backward, NULL);
