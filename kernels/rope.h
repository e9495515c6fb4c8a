/* Angles of rotary position embedding (Su et al. 2021): pair i of a head of `size` columns turns by
 * position 10000^(-2i / size), with the same bits on every backend. Shared by C and CUDA.
 *
 * A frequency is a whole number of 2^-64 turns, so position times frequency is exact and whole turns fall off by
 * themselves; what is left is a quadrant and at most 1/8 of a turn, which base/canon.h's polynomials take. Only double
 * sums, products and quotients besides. Within 1.5e-7 of libm's cosine and sine up to position 8191. */
#ifndef KERNELS_ROPE_H
#define KERNELS_ROPE_H

#include "base/canon.h"

#define ROPE_BASE 10000

/* Compute 2^64 10000^(-2 pair / size) / (2 pi) as 2^-exponent e^(-rest), by the power series of e to 2^-53. */
CANON_FN uint64_t rope_frequency(int pair, int size) {
    double exponent = 2.0 * pair / size * 13.287712379549449; /* log2 10000 */
    int whole = (int)exponent;
    double z = -(exponent - whole) * 0.6931471805599453, p = 1;
    for (int k = 20; k; k--) p = 1 + z / k * p;
    return (uint64_t)(p * 0.15915494309189535 * 18446744073709551616.0) >> whole;
}

/* Compute the cosine, or the sine, of an angle in units of 2^-64 turns. */
CANON_FN float rope_wave(uint64_t turns, int cosine) {
    uint64_t quadrant = (turns + (UINT64_C(1) << 61)) >> 62;
    float rest = (float)(int64_t)(turns - (quadrant << 62)) * 3.4061215800304366e-19f; /* 2 pi 2^-64 */
    return canon_quadrant(rest, (int32_t)quadrant + cosine);
}

#endif
