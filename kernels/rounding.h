/* Words of 16 bits: what the precisions fp16, fp16-scaled and bf16-stored round to wherever a tape stores an
 * activation, a gradient, or a weight that ops read. On the host memory holds floats; after each op what it wrote is
 * rounded to the numbers that the word has, so an op reads what it would read from words of 16 bits, computes in float
 * by the rules of base/canon.h, and is rounded once where it stores. A device's memory holds the words
 * (cuda/words.cuh), but for parameters' gradients.
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

/* The bits of a float's magnitude. */
#define ROUNDING_INFINITY 0x7f800000u
#define ROUNDING_FP16_MOST 0x477fe000u   /* 65,504 */
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

/* The words themselves: of a number that rounding leaves as it is, and back. */
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

/* Of a word of 16 bits. */
CANON_FN float rounding_number(Word word, uint16_t bits) {
    return word == WORD_fp16 ? rounding_fp16_number(bits) : rounding_bf16_number(bits);
}

/* Any number, rounded. */
CANON_FN uint16_t rounding_word(Word word, float x) {
    return word == WORD_fp16 ? rounding_fp16_word(rounding_fp16(x)) : rounding_bf16_word(rounding_bf16(x));
}

/* tf32, which no memory holds: a float's exponents with 11 binary digits, for factors of matrix products. */
CANON_FN float rounding_tf32(float x) {
    uint32_t bits = canon_to_bits(x), size = bits & 0x7fffffffu;
    uint32_t near = (size + 0xfffu + (size >> 13 & 1)) & ~0x1fffu;
    near = size > ROUNDING_INFINITY ? (size | 0x400000u) & ~0x1fffu : near;
    return canon_from_bits((bits & 0x80000000u) | near);
}

/* What was stored at one place, in one replica, so far: numbers by what became of them. All zero: nothing. Of what a
 * library stores as bf16 the words are counted as if they had not been rounded (kernels/cuda/product.h). */
struct Rounded {
    uint64_t infinite, nan; /* stored as such */
    uint64_t over;          /* beyond fp16's largest number, |x| > 65,504, before rounding; not a NaN */
    uint64_t subnormal;     /* stored as a subnormal number of the word */
    uint64_t flushed;       /* not 0, stored as 0 */
    uint64_t first;         /* 1 + the first step in which `over` grew; 0: none */
};

/* Numbers of one tensor that a device's block rounds, in launches that round many tensors. */
enum { ROUND_PIECE = 1024 };
typedef struct {
    size_t at; /* the first, among the numbers of `from` and of `to` */
    int count;
    int site; /* where they are counted, beyond `count` of the Rounding */
} RoundPiece;

/* Numbers, rounded from where they stand to where they are read; the same place is fine. They are one tensor's or, on a
 * device, those of pieces of two arenas that are laid out alike. */
typedef struct {
    View from, to;           /* of arenas only `at` and `stride` */
    const RoundPiece *piece; /* of a device, in its memory; NULL: one tensor */
    int pieces;
    size_t numbers; /* of all pieces */
    Word word;
    bool narrow; /* `to` is of words of 16 bits, which a device stores so */
    int replicas;
    const Scalars *scalars; /* [replicas]; the step, and whether the replica still counts */
    Rounded *count;         /* of replica 0; NULL: nobody counts */
    size_t count_stride;    /* Rounded from replica to replica */
    int part, parts;        /* several threads share the numbers; parts 0 or 1: one does it all */
    void *queue;            /* of a device: where the kernel goes; NULL: the caller's thread, at once */
} Rounding;

#endif
