/* Fast dropout: kernels/cpu/dropout.c with its words drawn by the vector layer. One block is a chain of ten
 * multiplications, so several groups of lanes are computed at once. */
#include "base/philox.h"
#include "kernels/cpu/simd/vec.h"

#ifdef V_WIDE
enum { GROUPS = 32 / WIDE < 4 ? 32 / WIDE : 4 };

/* Draw the words of WIDE GROUPS blocks from `block`, a multiple of WIDE GROUPS, on. So all have the same high word, and
 * the first two rounds treat it and the stream alike for all. */
V_FN void draw_groups(uint32_t *word, uint64_t seed, uint64_t stream, uint64_t block) {
    const uint32_t mul0 = 0xD2511F53u, mul1 = 0xCD9E8D57u, add0 = 0x9E3779B9u, add1 = 0xBB67AE85u;
    const uint64_t both1 = (stream & 0xffffffffu) * mul1;
    const uint64_t both0 = ((both1 >> 32 ^ block >> 32 ^ seed) & 0xffffffffu) * mul0;
    const wvec step0 = w_set(add0), step1 = w_set(add1), m0 = w_set(mul0), m1 = w_set(mul1);
    wvec c[GROUPS][4], k0 = w_set((uint32_t)seed + add0), k1 = w_set((uint32_t)(seed >> 32) + add1);
    UNROLL for (uint64_t g = 0; g < GROUPS; g++) {
        wvec first = w_mul(w_add(w_set(block + g * WIDE), w_blocks()), m0);
        wvec second = w_mul(w_xor3(w_high(first), w_set(stream >> 32), w_set(seed >> 32)), m1);
        c[g][0] = w_xor3(w_high(second), w_set(both1), k0), c[g][1] = second;
        c[g][2] = w_xor3(w_set(both0 >> 32), first, k1), c[g][3] = w_set(both0);
    }
    k0 = w_add(k0, step0), k1 = w_add(k1, step1);
    for (int round = 2; round < 10; round++, k0 = w_add(k0, step0), k1 = w_add(k1, step1))
        UNROLL for (int g = 0; g < GROUPS; g++) {
            wvec p0 = w_mul(c[g][0], m0), p1 = w_mul(c[g][2], m1);
            c[g][0] = w_xor3(w_high(p1), c[g][1], k0), c[g][1] = p1;
            c[g][2] = w_xor3(w_high(p0), c[g][3], k1), c[g][3] = p0;
        }
    UNROLL for (int g = 0; g < GROUPS; g++) w_store_blocks(word + 4 * WIDE * g, c[g]);
}

V_FN void draw_wide(uint32_t *word, const Scalars *s, uint64_t stream, uint64_t block, int blocks) {
    for (int b = 0; b < blocks; b += WIDE * GROUPS) draw_groups(word + 4 * b, s->seed, stream, block + (uint64_t)b);
}
#define DRAW draw_wide
#endif

#include "kernels/cpu/dropout.c"
