/* Round to 16 bits: the precisions fp16, fp16-scaled and bf16-stored do so wherever a tape stores an activation, a
 * gradient, or a weight that ops read. The host's memory holds floats, rounded after each op to numbers of the format:
 * an op reads what 16 bits would hold, computes in float by the rules of base/canon.h, and its output is rounded once.
 * A device's memory holds the 16 bits (cuda/words.cuh), but for parameters' gradients.
 *
 *   fp16  IEEE 754 binary16: 11 binary digits, largest number 65,504, smallest normal 2^-14, quantum 2^-24 below it
 *   bf16  the upper half of a float: 8 binary digits and a float's exponents
 *
 * Rounding is to the nearest, ties to even; subnormals are kept; what rounds past the largest number becomes infinite;
 * a NaN stays one, quiet, with its upper bits. So fp16 is what VCVTPS2PH (F16C, AVX-512) does; bf16 is not
 * VCVTNEPS2BF16, which flushes subnormals. Shared by C and CUDA. */
#ifndef KERNELS_ROUNDING_H
#define KERNELS_ROUNDING_H

#include "kernels/op.h"

typedef enum { WORD_float, WORD_fp16, WORD_bf16 } Word;

/* Bits of some floats' magnitudes. */
#define ROUNDING_INFINITY 0x7f800000u
#define ROUNDING_FP16_MAX 0x477fe000u    /* 65,504 */
#define ROUNDING_FP16_PAST 0x47800000u   /* 65,536, to which 65,520 and more round: no number of fp16 */
#define ROUNDING_FP16_NORMAL 0x38800000u /* 2^-14 */
#define ROUNDING_BF16_NORMAL 0x00800000u

CANON_FN float rounding_fp16(float x) {
    uint32_t bits = canon_to_bits(x), size = bits & 0x7fffffffu;
    uint32_t near = (size + 0xfffu + (size >> 13 & 1)) & ~0x1fffu;
    uint32_t tiny = canon_to_bits((canon_from_bits(size) + 0.5f) - 0.5f); /* a float of 0.5 ends at 2^-24 */
    near = size < ROUNDING_FP16_NORMAL ? tiny : near;
    near = near >= ROUNDING_FP16_PAST ? ROUNDING_INFINITY : near;
    near = size > ROUNDING_INFINITY ? (size | 0x400000u) & ~0x1fffu : near;
    return canon_from_bits((bits & 0x80000000u) | near);
}

CANON_FN float rounding_bf16(float x) {
    uint32_t bits = canon_to_bits(x), size = bits & 0x7fffffffu;
    uint32_t near = (size + 0x7fffu + (size >> 16 & 1)) & ~0xffffu;
    near = size > ROUNDING_INFINITY ? (size | 0x400000u) & ~0xffffu : near;
    return canon_from_bits((bits & 0x80000000u) | near);
}

/* Convert a rounded number to its 16 bits, and back. */
CANON_FN uint16_t rounding_fp16_word(float x) {
    const uint32_t bits = canon_to_bits(x), size = bits & 0x7fffffffu, sign = bits >> 16 & 0x8000u;
    if (size >= ROUNDING_INFINITY) return (uint16_t)(sign | 0x7c00u | (size >> 13 & 0x3ffu));
    if (size >= ROUNDING_FP16_NORMAL) return (uint16_t)(sign | (size - (112u << 23)) >> 13);
    return (uint16_t)(sign | (uint32_t)(canon_from_bits(size) * 16777216.0f)); /* in quanta */
}

CANON_FN float rounding_fp16_number(uint16_t word) {
    const uint32_t sign = (uint32_t)(word & 0x8000u) << 16, size = word & 0x7fffu;
    if (size >= 0x7c00u) return canon_from_bits(sign | ROUNDING_INFINITY | (size & 0x3ffu) << 13);
    if (size >= 0x400u) return canon_from_bits(sign | ((size << 13) + (112u << 23)));
    return canon_from_bits(sign | canon_to_bits((float)size / 16777216.0f));
}

CANON_FN uint16_t rounding_bf16_word(float x) {
    return (uint16_t)(canon_to_bits(x) >> 16);
}

CANON_FN float rounding_bf16_number(uint16_t word) {
    return canon_from_bits((uint32_t)word << 16);
}

/* Return the number that 16 bits stand for. */
CANON_FN float rounding_number(Word word, uint16_t bits) {
    return word == WORD_fp16 ? rounding_fp16_number(bits) : rounding_bf16_number(bits);
}

/* Round any number to 16 bits. */
CANON_FN uint16_t rounding_word(Word word, float x) {
    return word == WORD_fp16 ? rounding_fp16_word(rounding_fp16(x)) : rounding_bf16_word(rounding_bf16(x));
}

/* Round to tf32 (a float's exponents, 11 binary digits): for factors of matrix products, never stored. */
CANON_FN float rounding_tf32(float x) {
    uint32_t bits = canon_to_bits(x), size = bits & 0x7fffffffu;
    uint32_t near = (size + 0xfffu + (size >> 13 & 1)) & ~0x1fffu;
    near = size > ROUNDING_INFINITY ? (size | 0x400000u) & ~0x1fffu : near;
    return canon_from_bits((bits & 0x80000000u) | near);
}

/* Count what rounding did at one site, in one replica, so far. Numbers that a library stored as bf16 are counted as if
 * they had not been rounded (kernels/cuda/product.h). */
struct Rounded {
    uint64_t infinite, nan; /* stored as such */
    uint64_t over;          /* beyond fp16's largest number, |x| > 65,504, before rounding; not a NaN */
    uint64_t subnormal;     /* stored as a subnormal number of the word */
    uint64_t flushed;       /* not 0, stored as 0 */
    uint64_t first;         /* 1 + the first step in which `over` grew; 0: none */
};

/* Numbers of one tensor that one block rounds, in a launch that rounds many tensors. */
enum { ROUND_PIECE = 1024 };
typedef struct {
    size_t at; /* index of the first number in `from` and in `to` */
    int count;
    int site; /* index of their counter from Rounding.count */
} RoundPiece;

/* Round numbers of `from` into `to`, which may be the same memory: one tensor or, on a device, pieces of two arenas of
 * the same layout. */
typedef struct {
    View from, to;           /* arenas set `at` and `stride` only */
    const RoundPiece *piece; /* in the device's memory; NULL: one tensor */
    int pieces;
    size_t numbers; /* total of all pieces */
    Word word;
    bool narrow; /* `to` stores 16 bits (devices only) */
    int replicas;
    const Scalars *scalars; /* [replicas]; step and `stopped` are read */
    Rounded *count;         /* replica 0's counters; NULL: do not count */
    size_t count_stride;    /* stride between replicas, in Rounded */
    int part, parts;        /* several threads share the numbers; parts 0 or 1: one does it all */
    void *queue;            /* a device's queue; NULL: run in the caller's thread, at once */
} Rounding;

#endif
