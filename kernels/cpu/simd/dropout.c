/* Fast dropout: kernels/cpu/dropout.c with its words drawn by the vector layer. One block is a chain of ten
 * multiplications, so several groups of lanes go side by side. */
#include "base/philox.h"
#include "kernels/cpu/simd/vec.h"

#ifdef V_WIDE
enum { GROUPS = 32 / WIDE < 4 ? 32 / WIDE : 4 };

/* 4 WIDE GROUPS words, those of the blocks from `block` on. */
V_FN void draw_groups(uint32_t *word, uint64_t seed, uint64_t stream, uint64_t block) {
    wvec c[GROUPS][4], k0 = w_set((uint32_t)seed), k1 = w_set(seed >> 32);
    const wvec step0 = w_set(0x9E3779B9u), step1 = w_set(0xBB67AE85u), m0 = w_set(0xD2511F53u), m1 = w_set(0xCD9E8D57u);
    UNROLL for (uint64_t g = 0; g < GROUPS; g++) {
        c[g][0] = w_add(w_set(block + g * WIDE), w_blocks()), c[g][1] = w_high(c[g][0]);
        c[g][2] = w_set(stream), c[g][3] = w_set(stream >> 32);
    }
    for (int round = 0; round < 10; round++, k0 = w_add(k0, step0), k1 = w_add(k1, step1))
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
