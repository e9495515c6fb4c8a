/* The one arithmetic of normbench. Every float backend follows these rules, so it gives the same bits on every machine
 * with IEEE fused multiply-add, for any vector width, thread count, compiler or replica count:
 *
 *  1. Every matmul output is ONE fma chain over ascending k that starts at +0; bias, then accumulation into a gradient,
 *     are each one later add.
 *  2. Sums over token rows (weight, bias and gain gradients, loss mean, norms) are chains inside blocks of
 *     CANON_BLOCK rows; blocks join by a fixed pairwise tree (tree_join in kernels/cpu/real.h).
 *  3. Reductions along a row: lane j of 32 takes elements j, j+32, … in order; then lanes fold 16, 8, 4, 2, 1.
 *  4. Causal softmax omits absent keys. Several contributors to one gradient add in the order the tape runs backward.
 *  5. exp, log, tanh, erf, sin, cos are the polynomials below: only fma, mul, add, div, sqrt, compare and integer
 *     steps.
 *  6. No libm, no fast-math, no contraction by the compiler (-ffp-contract=off): where an fma is meant, the source
 *     calls it.
 *  7. Subnormals are kept (canon_environment asserts it in every thread). A NaN hashes as 0x7fc00000.
 *
 * Shared by C and CUDA. The functions are branch-free so that compilers vectorize loops over them without changing a
 * bit. */
#ifndef BASE_CANON_H
#define BASE_CANON_H

#include <stdint.h>

#ifdef __CUDACC__
#define CANON_FN static inline __host__ __device__
#else
#define CANON_FN static inline __attribute__((always_inline, unused))
#endif

#ifdef __CUDA_ARCH__
#define CANON_FMA(a, b, c) __fmaf_rn(a, b, c)
#define CANON_SQRT(a) __fsqrt_rn(a)
#else
#define CANON_FMA(a, b, c) __builtin_fmaf(a, b, c)
#define CANON_SQRT(a) __builtin_sqrtf(a)
#endif

/* Compile a loop over these functions twice: for processors with fma and AVX2, where it is vectorized and fma is no
 * call, and for all. The bits are the same. */
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__) && __GNUC__ >= 12 && !defined(__SANITIZE_THREAD__)
#define CANON_CLONES __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define CANON_CLONES
#endif

enum { CANON_LANES = 32, CANON_BLOCK = 4096 };

/* Set this thread's floating-point state for rule 7 (round to nearest, keep subnormals) and check it. */
void canon_environment(void);

CANON_FN uint32_t canon_to_bits(float x) {
    union {
        float f;
        uint32_t u;
    } pun;
    pun.f = x;
    return pun.u;
}

CANON_FN float canon_from_bits(uint32_t u) {
    union {
        float f;
        uint32_t u;
    } pun;
    pun.u = u;
    return pun.f;
}

/* Round to the nearest even integer, |x| < 2^22, by adding 1.5*2^23, which drops the fraction; the sum's low bits hold
 * the integer, which the caller reads with canon_to_bits(shifted) - CANON_MAGIC_BITS. */
#define CANON_MAGIC 12582912.0f
#define CANON_MAGIC_BITS 0x4b400000

/* Compute 2^n, -126 <= n <= 127. */
CANON_FN float canon_pow2(int32_t n) {
    return canon_from_bits((uint32_t)(n + 127) << 23);
}

/* Compute e^x: x = n ln2 + r, |r| <= ln2/2; minimax polynomial in r (own fit, 3e-9 relative before rounding; under 1.5
 * ulp). Overflows to inf above 88.72, goes through subnormals to 0, keeps NaN. */
CANON_FN float canon_exp(float x) {
    float t = -104.0f > x ? -104.0f : x;
    t = 89.0f < t ? 89.0f : t;
    float shifted = CANON_FMA(t, 1.442695f, CANON_MAGIC), n = shifted - CANON_MAGIC;
    int32_t k = (int32_t)(canon_to_bits(shifted) - CANON_MAGIC_BITS);
    float r = CANON_FMA(n, -0x1.62e4p-1f, t);
    r = CANON_FMA(n, -0x1.7f7d1cp-20f, r);
    float p = 0.0013950717f;
    p = CANON_FMA(p, r, 0.008369026f);
    p = CANON_FMA(p, r, 0.041666202f);
    p = CANON_FMA(p, r, 0.16666518f);
    p = CANON_FMA(p, r, 0.5f);
    p = CANON_FMA(r * r, p, r) + 1.0f;
    /* 2^k in two halves, so that k below -126 rounds once, at the end. A NaN's k is meaningless: keep it in range. */
    k = k < -160 ? -160 : k;
    k = k > 160 ? 160 : k;
    int32_t half = k >> 1;
    return p * canon_pow2(half) * canon_pow2(k - half);
}

/* Compute ln x: x = 2^e m with m in [sqrt(1/2), sqrt(2)); ln m = f - f^2/2 + f^3 P(f), f = m - 1 (own fit, 8e-10
 * relative). ln 0 = -inf, ln of a negative or NaN is NaN, ln inf = inf. */
CANON_FN float canon_log(float x) {
    float scaled = x < 0x1p-126f ? x * 0x1p25f : x;
    uint32_t u = canon_to_bits(scaled);
    uint32_t shift = u - 0x3f3504f3u; /* bits of sqrt(1/2): the exponent field then counts from the right place */
    int32_t e = (int32_t)shift >> 23;
    float m = canon_from_bits((shift & 0x007fffffu) + 0x3f3504f3u), f = m - 1.0f;
    float n = (float)e - (x < 0x1p-126f ? 25.0f : 0.0f);
    float p = 0.0674649f;
    p = CANON_FMA(p, f, -0.116756156f);
    p = CANON_FMA(p, f, 0.11888212f);
    p = CANON_FMA(p, f, -0.12405598f);
    p = CANON_FMA(p, f, 0.14219546f);
    p = CANON_FMA(p, f, -0.16667995f);
    p = CANON_FMA(p, f, 0.20002119f);
    p = CANON_FMA(p, f, -0.2500001f);
    p = CANON_FMA(p, f, 0.33333313f);
    float f2 = f * f, y = CANON_FMA(n, 0x1.7f7d1cp-20f, f2 * f * p);
    y = CANON_FMA(-0.5f, f2, y) + f;
    y = CANON_FMA(n, 0x1.62e4p-1f, y);
    float infinity = canon_from_bits(0x7f800000u), nan = canon_from_bits(0x7fc00000u);
    y = x == infinity ? infinity : y;
    y = x == 0.0f ? -infinity : y;
    return x >= 0.0f ? y : nan;
}

/* Compute tanh x: odd polynomial below 0.625, 1 - 2/(e^2|x| + 1) above. */
CANON_FN float canon_tanh(float x) {
    float a = canon_from_bits(canon_to_bits(x) & 0x7fffffffu), u = x * x;
    float p = 0.0021475276f;
    p = CANON_FMA(p, u, -0.008182663f);
    p = CANON_FMA(p, u, 0.021702962f);
    p = CANON_FMA(p, u, -0.053947203f);
    p = CANON_FMA(p, u, 0.1333321f);
    p = CANON_FMA(p, u, -0.3333333f);
    float small = CANON_FMA(p * u, x, x);
    float large = 1.0f - 2.0f / (canon_exp(a + a) + 1.0f);
    large = canon_from_bits(canon_to_bits(large) | (canon_to_bits(x) & 0x80000000u));
    return a < 0.625f ? small : large;
}

/* Compute erf x: odd polynomial below 0.95, 1 - e^-Q(|x|) above with Q fitted to -ln erfc. */
CANON_FN float canon_erf(float x) {
    float a = canon_from_bits(canon_to_bits(x) & 0x7fffffffu), u = x * x;
    float p = 7.889109e-05f;
    p = CANON_FMA(p, u, -0.0008020838f);
    p = CANON_FMA(p, u, 0.005189535f);
    p = CANON_FMA(p, u, -0.026854444f);
    p = CANON_FMA(p, u, 0.112836f);
    p = CANON_FMA(p, u, -0.37612626f);
    p = CANON_FMA(p, u, 1.1283791f);
    float b = 4.0f < a ? 4.0f : a, q = 2.1496326e-05f;
    q = CANON_FMA(q, b, -0.00043910873f);
    q = CANON_FMA(q, b, 0.004193622f);
    q = CANON_FMA(q, b, -0.025178995f);
    q = CANON_FMA(q, b, 0.10837252f);
    q = CANON_FMA(q, b, 0.6332626f);
    q = CANON_FMA(q, b, 1.1295569f);
    q = CANON_FMA(q, b, -0.0001834476f);
    float large = 1.0f - canon_exp(-q);
    large = canon_from_bits(canon_to_bits(large) | (canon_to_bits(x) & 0x80000000u));
    return a < 0.95f ? p * x : large;
}

/* Compute sin or cos by one quadrant reduction: x = n pi/2 + r in three fma steps, valid for |x| < 2^18. */
CANON_FN float canon_quadrant(float x, int32_t turn) {
    float shifted = CANON_FMA(x, 0.63661975f, CANON_MAGIC), n = shifted - CANON_MAGIC;
    uint32_t k = canon_to_bits(shifted) - CANON_MAGIC_BITS + (uint32_t)turn;
    float r = CANON_FMA(n, -0x1.921fb4p+0f, x);
    r = CANON_FMA(n, -0x1.4442dp-24f, r);
    r = CANON_FMA(n, -0x1.84698ap-48f, r);
    float u = r * r, c = -2.72033e-07f, s = 2.717564e-06f;
    c = CANON_FMA(c, u, 2.4799436e-05f);
    c = CANON_FMA(c, u, -0.0013888883f);
    c = CANON_FMA(c, u, 0.041666668f);
    c = CANON_FMA(c * u, u, CANON_FMA(-0.5f, u, 1.0f));
    s = CANON_FMA(s, u, -0.00019839256f);
    s = CANON_FMA(s, u, 0.008333329f);
    s = CANON_FMA(s, u, -0.16666667f);
    s = CANON_FMA(s * u, r, r);
    float y = k & 1 ? c : s;
    return canon_from_bits(canon_to_bits(y) ^ ((k & 2) << 30));
}

CANON_FN float canon_sin(float x) {
    return canon_quadrant(x, 0);
}

CANON_FN float canon_cos(float x) {
    return canon_quadrant(x, 1);
}

/* Convert a Philox word to a float in [0, 1), exactly. */
CANON_FN float canon_uniform(uint32_t word) {
    return (float)(word >> 8) * 0x1p-24f;
}

/* Convert a Philox word to a standard normal: u = ((word>>9) + 1/2) 2^-23, then sqrt(2) erfinv(2u - 1) by the
 * single-precision polynomials of Giles, "Approximating the erfinv function" (2010), in w = -ln(1 - x^2).
 * u is exact and never 0 or 1. */
CANON_FN float canon_normal(uint32_t word) {
    float x = CANON_FMA((float)(word >> 9), 0x1p-22f, 0x1p-23f - 1.0f);
    float w = -canon_log((1.0f - x) * (1.0f + x));
    float c = w - 2.5f, p = 2.81022636e-08f;
    p = CANON_FMA(p, c, 3.43273939e-07f);
    p = CANON_FMA(p, c, -3.5233877e-06f);
    p = CANON_FMA(p, c, -4.39150654e-06f);
    p = CANON_FMA(p, c, 0.00021858087f);
    p = CANON_FMA(p, c, -0.00125372503f);
    p = CANON_FMA(p, c, -0.00417768164f);
    p = CANON_FMA(p, c, 0.246640727f);
    p = CANON_FMA(p, c, 1.50140941f);
    float t = CANON_SQRT(w) - 3.0f, q = -0.000200214257f;
    q = CANON_FMA(q, t, 0.000100950558f);
    q = CANON_FMA(q, t, 0.00134934322f);
    q = CANON_FMA(q, t, -0.00367342844f);
    q = CANON_FMA(q, t, 0.00573950773f);
    q = CANON_FMA(q, t, -0.0076224613f);
    q = CANON_FMA(q, t, 0.00943887047f);
    q = CANON_FMA(q, t, 1.00167406f);
    q = CANON_FMA(q, t, 2.83297682f);
    return (w < 5.0f ? p : q) * x * 1.41421356f;
}

#endif
