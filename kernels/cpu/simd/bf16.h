/* Products in bf16 as the two instructions compute them, one number at a time, in plain C. Everything else that
 * computes such a product (the instructions themselves, their software twins) must give these bits.
 *
 * A backend of precision bf16 differs from canon in `linear` alone: both operands of its three products (forward, input
 * gradient, weight gradient) are rounded to bf16, products and sums are float. Memory holds float words only: operands
 * are rounded while they are packed. Bias, accumulation, blocks of token rows, every other op, the weights, the moments
 * and the optimizer are canon's (base/canon.h).
 *
 *   round     nearest, ties to even; a denormal becomes a zero of its sign, a NaN quiet with its upper bits; a number
 *             past the largest bf16 becomes infinite
 *   step      c <- a b + c, rounded once, to nearest even; a result that is tiny after rounding becomes a zero of its
 *             sign (no operand is ever denormal, since rounding and steps flush them)
 *
 * The instructions sum in different orders, so there are two classes of bits. With k padded by +0 as said, from c = +0:
 *
 *   bf16-dot  VDPBF16PS; k is padded to a multiple of 2. For each pair of k ascending: a step of its odd member, then a
 *             step of its even one.
 *   bf16-amx  TDPBF16PS; k is padded to a multiple of 32. For each 32 of k ascending: a chain of steps over the even
 *             members and one over the odd ones, each from +0; c <- c + (even + odd), each sum flushed like a step.
 *
 * A padded step is an ordinary step: it turns a -0 into +0. Orders and flushing are those of Intel's manual
 * (Software Developer's Manual, volume 2, VCVTNE2PS2BF16, VDPBF16PS, TDPBF16PS);
 * kernels/bf16.c tests the machine against them. */
#ifndef KERNELS_CPU_SIMD_BF16_H
#define KERNELS_CPU_SIMD_BF16_H

#include "base/canon.h"

#define BF16_INFINITY 0x7f800000u
#define BF16_NORMAL 0x00800000u /* the smallest normal number */

CANON_FN uint32_t bf16_magnitude(float x) {
    return canon_to_bits(x) & 0x7fffffffu;
}

CANON_FN float bf16_zero_like(float x) {
    return canon_from_bits(canon_to_bits(x) & 0x80000000u);
}

/* Round x to bf16, the upper half of a float's bits. */
CANON_FN uint32_t bf16_round(float x) {
    uint32_t bits = canon_to_bits(x), rounded = (bits + 0x7fffu + (bits >> 16 & 1)) >> 16;
    uint32_t size = bits & 0x7fffffffu;
    rounded = size > BF16_INFINITY ? bits >> 16 | 0x40u : rounded;
    return size < BF16_NORMAL ? bits >> 16 & 0x8000u : rounded;
}

/* Pack two members of a pair, the even one low. */
CANON_FN uint32_t bf16_pair(float even, float odd) {
    return bf16_round(even) | bf16_round(odd) << 16;
}

CANON_FN float bf16_even(uint32_t pair) {
    return canon_from_bits(pair << 16);
}

CANON_FN float bf16_odd(uint32_t pair) {
    return canon_from_bits(pair & 0xffff0000u);
}

/* Return true for results that bf16_step checks again: denormals, and the smallest normal number. */
CANON_FN uint32_t bf16_is_small(float x) {
    return bf16_magnitude(x) - 1 < BF16_NORMAL;
}

/* Compute one step. fma rounds denormals coarsely, so it may round up to the smallest normal number: then the product
 * scaled by 2^24 decides (the smaller factor and c are then far from overflow). */
CANON_FN float bf16_step(float a, float b, float c) {
    float sum = CANON_FMA(a, b, c);
    if (!bf16_is_small(sum)) return sum;
    if (bf16_magnitude(sum) < BF16_NORMAL) return bf16_zero_like(sum);
    float small = bf16_magnitude(a) < bf16_magnitude(b) ? a : b, large = bf16_magnitude(a) < bf16_magnitude(b) ? b : a;
    return bf16_magnitude(CANON_FMA(small * 0x1p24f, large, c * 0x1p24f)) < bf16_magnitude(0x1p-102f)
               ? bf16_zero_like(sum)
               : sum;
}

/* Add and flush; a sum of two floats is exact where it is tiny. */
CANON_FN float bf16_add(float a, float b) {
    float sum = a + b;
    return bf16_magnitude(sum) < BF16_NORMAL ? bf16_zero_like(sum) : sum;
}

#endif
