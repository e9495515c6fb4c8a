/* Philox4x32-10 (Salmon, Moraes, Dror, Shaw 2011), a counter-based generator: a random word is a pure function of
 * (seed, subsequence, offset), so any word can be drawn at any time, by any thread, on any backend.
 * Counter layout equals cuRAND's Philox4_32_10: key = seed, counter = {offset >> 2, subsequence}, word = offset & 3.
 * Shared by C and CUDA. */
#ifndef BASE_PHILOX_H
#define BASE_PHILOX_H

#include <stdint.h>

#ifdef __CUDACC__
#define PHILOX_FN static inline __host__ __device__
#else
#define PHILOX_FN static inline
#endif

PHILOX_FN void philox4x32_10(uint32_t out[4], const uint32_t ctr[4], const uint32_t key[2]) {
    uint32_t c0 = ctr[0], c1 = ctr[1], c2 = ctr[2], c3 = ctr[3], k0 = key[0], k1 = key[1];
    for (int round = 0; round < 10; round++) {
        uint64_t p0 = (uint64_t)0xD2511F53u * c0, p1 = (uint64_t)0xCD9E8D57u * c2;
        c0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0;
        c1 = (uint32_t)p1;
        c2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
        c3 = (uint32_t)p0;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    out[0] = c0, out[1] = c1, out[2] = c2, out[3] = c3;
}

/* Draw the four words at offsets 4*block .. 4*block+3 of a subsequence ("stream"). */
PHILOX_FN void philox_block(uint32_t out[4], uint64_t seed, uint64_t stream, uint64_t block) {
    uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    uint32_t ctr[4] = {(uint32_t)block, (uint32_t)(block >> 32), (uint32_t)stream, (uint32_t)(stream >> 32)};
    philox4x32_10(out, ctr, key);
}

/* Draw the word at one offset. */
PHILOX_FN uint32_t philox_word(uint64_t seed, uint64_t stream, uint64_t offset) {
    uint32_t out[4];
    philox_block(out, seed, stream, offset >> 2);
    return out[offset & 3];
}

/* Return the offset of word `index` of training step `step`; steps do not overlap below 2^40 words each. */
PHILOX_FN uint64_t philox_offset(uint64_t step, uint64_t index) {
    return (step << 40) + index;
}

/* Return an integer in [0, n): the high half of word * n. */
PHILOX_FN uint32_t philox_below(uint32_t word, uint32_t n) {
    return (uint32_t)(((uint64_t)word * n) >> 32);
}

#endif
