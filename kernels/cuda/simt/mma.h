/* mma.sync in the shim: lanes give words of factors in PTX's register layout, from which the shim builds the matrices
 * and multiplies. It sums in double and rounds once, which is no device's order. */
#ifndef KERNELS_CUDA_SIMT_MMA_H
#define KERNELS_CUDA_SIMT_MMA_H

#include <math.h>

#include "base/canon.h"
#include "kernels/rounding.h"

/* Factors of a product: `word` rounds and packs them; `value` returns the i-th of a word. */
struct Tf32 {
    enum { IN_WORD = 1 };
    static uint32_t word(float x, float) {
        return canon_to_bits(rounding_tf32(x));
    }
    static float value(uint32_t word, int) {
        if (word & 0x1fffu) simt_mistake("a factor of mma.sync is not rounded to tf32");
        return canon_from_bits(word);
    }
};

struct Bf16 {
    enum { IN_WORD = 2 };
    static uint32_t word(float x, float next) {
        return (uint32_t)rounding_word(WORD_bf16, next) << 16 | rounding_word(WORD_bf16, x);
    }
    static float value(uint32_t word, int i) {
        return rounding_bf16_number((uint16_t)(word >> 16 * i));
    }
};

struct Fp16 {
    enum { IN_WORD = 2 };
    static uint32_t word(float x, float next) {
        return (uint32_t)rounding_word(WORD_fp16, next) << 16 | rounding_word(WORD_fp16, x);
    }
    static float value(uint32_t word, int i) {
        return rounding_fp16_number((uint16_t)(word >> 16 * i));
    }
};

/* sum += left right by m16n8k8 (one factor a word) or m16n8k16 (two). Lane 4 g + t has of the left matrix, 16 rows by
 * k, in register i word t + 4 (i / 2) of row g + 8 (i % 2); of the right one, k by 8 columns, in register i word t + 4
 * i of column g; of the sums in register i row g + 8 (i / 2), column 2 t + i % 2. */
template <typename Factor>
static inline void simt_mma(const SimtPlace *here, Factor, float (&sum)[4], const uint32_t (&left)[4], Words right) {
    enum { IN = Factor::IN_WORD, RIGHT = 4 * IN };
    const uint32_t word[6] = {left[0], left[1], left[2], left[3], right.low, right.high};
    float own[SIMT_FACTORS];
    for (int i = 0; i < 6 * IN; i++) own[i] = Factor::value(word[i / IN], i % IN);
    const float *all = simt_factors(here, own, 6 * IN);
    const int lane = (int)threadIdx.x % 32;
    for (int i = 0; i < 4; i++) {
        const int row = lane / 4, half = i / 2, column = lane % 4 * 2 + i % 2;
        double total = sum[i];
        for (int k = 0; k < 8 * IN; k++) {
            const int t = k / IN % 4, far = k / (4 * IN), part = k % IN;
            const float *a = all + (row * 4 + t) * SIMT_FACTORS, *b = all + (column * 4 + t) * SIMT_FACTORS;
            total += (double)a[(half + 2 * far) * IN + part] * (double)b[RIGHT + far * IN + part];
        }
        sum[i] = (float)total;
    }
}
#define mma(...) simt_mma(SIMT_HERE("mma"), __VA_ARGS__)

#endif
