/* Round to numbers of eight bits with a scale, for evaluation in INT8 or FP8.
 *
 *   x is replaced by s round(x / s), s = max|x| / the format's largest number, to nearest, ties to even
 *
 *   int8  integers from -127 to 127: symmetric, no zero point (Jacob et al. 2018, weights)
 *   e4m3  FP8 of Micikevicius et al. (2022): 448 is the largest, 2^-6 the smallest normal number, 2^-9 the quantum
 *         below
 *   e5m2  FP8 of the same paper: 57,344, 2^-14 and 2^-16
 *
 * All arithmetic is float: the bits are the same on every machine. Larger numbers saturate (the scale leaves at most
 * the last bit to this). If max|x| is 0 or not finite, nothing is replaced. */
#ifndef KERNELS_QUANTIZATION_H
#define KERNELS_QUANTIZATION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/canon.h"

typedef enum { FORMAT_int8, FORMAT_e4m3, FORMAT_e5m2 } EightBits;

typedef enum {
#define QUANTIZATION(id, key, format, per_row, metric, what) QUANTIZATION_##id,
#include "kernels/quantizations.def"
#undef QUANTIZATION
    QUANTIZATION_COUNT
} Quantization;

typedef struct {
    const char *key, *what;
    EightBits format;
    bool per_row;
} QuantizationInfo;
extern const QuantizationInfo quantization_info[QUANTIZATION_COUNT];

/* Round a float to fp8: drop the last `drop` bits of its fraction; below `normal` (the bits of the smallest normal
 * number) use the quantum of floats near `magic`. */
CANON_FN float quantization_fp8(float x, int drop, uint32_t normal, float magic, float most) {
    uint32_t bits = canon_to_bits(x), size = bits & 0x7fffffffu, rest = (1u << drop) - 1;
    uint32_t near = (size + (rest >> 1) + (size >> drop & 1)) & ~rest;
    float tiny = (canon_from_bits(size) + magic) - magic, out = size < normal ? tiny : canon_from_bits(near);
    return canon_from_bits((bits & 0x80000000u) | canon_to_bits(out > most ? most : out));
}

CANON_FN float quantization_e4m3(float x) {
    return quantization_fp8(x, 20, 0x3c800000u, 16384.0f, 448.0f);
}

CANON_FN float quantization_e5m2(float x) {
    return quantization_fp8(x, 21, 0x38800000u, 128.0f, 57344.0f);
}

/* Round to an integer, |x| up to 2^22: floats near 1.5 2^23 have the quantum 1. */
CANON_FN float quantization_int8(float x) {
    float near = (x + 12582912.0f) - 12582912.0f;
    return near > 127.0f ? 127.0f : near < -127.0f ? -127.0f : near;
}

/* Return the format's largest number. */
float quantization_most(EightBits format);

/* Quantize x[rows][cols] in place, by a row of quantizations.def. */
void quantize(float *x, size_t rows, size_t cols, Quantization how);

#endif
