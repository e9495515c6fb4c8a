/* Vector layer: VEC floats at a time, the same operations for every instruction set that the file is compiled for. Only
 * operations whose result in a lane does not depend on the vector width are here. */
#ifndef KERNELS_CPU_SIMD_VEC_H
#define KERNELS_CPU_SIMD_VEC_H

#include "kernels/cpu/real.h"

#if defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#elif defined(__GNUC__)
#define UNROLL _Pragma("GCC unroll 32")
#endif
#define V_FN static inline __attribute__((always_inline, unused))
#define PREFETCH(p) __builtin_prefetch(p)
#define PREFETCH_STORE(p) __builtin_prefetch(p, 1)
#define PREFETCH_FAR(p) __builtin_prefetch(p, 0, 2) /* into the second-level cache */

#if defined(__AVX512F__)
#include <immintrin.h>
enum { VEC = 16 };
typedef __m512 vec;
V_FN vec v_zero(void) { return _mm512_setzero_ps(); }
V_FN vec v_set(float x) { return _mm512_set1_ps(x); }
V_FN vec v_load(const float *p) { return _mm512_loadu_ps(p); }
V_FN vec v_load_first(const float *p, int n) { return _mm512_maskz_loadu_ps((__mmask16)((1u << n) - 1), p); }
V_FN void v_store(float *p, vec x) { _mm512_storeu_ps(p, x); }
V_FN void v_store_first(float *p, vec x, int n) { _mm512_mask_storeu_ps(p, (__mmask16)((1u << n) - 1), x); }
/* Take the first n lanes of x, the others of y. */
V_FN vec v_first(vec x, vec y, int n) { return _mm512_mask_mov_ps(y, (__mmask16)((1u << n) - 1), x); }
V_FN vec v_fma(vec a, vec b, vec c) { return _mm512_fmadd_ps(a, b, c); }
/* Compute *chain <- fma(a, b, *chain), *sum <- *sum + x in place, by assembly: compilers move the chains of a tile
 * between registers until some no longer fit. */
V_FN void v_chain(vec *chain, vec a, vec b) { __asm__("vfmadd231ps %2, %1, %0" : "+v"(*chain) : "v"(a), "v"(b)); }
V_FN void v_sum(vec *sum, vec x) { __asm__("vaddps %1, %0, %0" : "+v"(*sum) : "v"(x)); }
/* c - a b, rounded once */
V_FN vec v_fnma(vec a, vec b, vec c) { return _mm512_fnmadd_ps(a, b, c); }
V_FN vec v_add(vec a, vec b) { return _mm512_add_ps(a, b); }
V_FN vec v_sub(vec a, vec b) { return _mm512_sub_ps(a, b); }
V_FN vec v_mul(vec a, vec b) { return _mm512_mul_ps(a, b); }
/* a > b ? a : b */
V_FN vec v_max(vec a, vec b) { return _mm512_max_ps(a, b); }
/* Load lanes 4g..4g+3 from p + 4g step: four numbers of every fourth line. */
V_FN vec v_load_quads(const float *p, size_t step) {
    __m512 x = _mm512_castps128_ps512(_mm_loadu_ps(p));
    x = _mm512_mask_broadcast_f32x4(x, 0x00f0, _mm_loadu_ps(p + 4 * step));
    x = _mm512_mask_broadcast_f32x4(x, 0x0f00, _mm_loadu_ps(p + 8 * step));
    return _mm512_mask_broadcast_f32x4(x, 0xf000, _mm_loadu_ps(p + 12 * step));
}
/* Transpose inside every four lanes: x[i] lane j <-> x[j] lane i. */
V_FN void v_transpose_quads(vec x[4]) {
    __m512d a = _mm512_castps_pd(_mm512_unpacklo_ps(x[0], x[1])), b = _mm512_castps_pd(_mm512_unpackhi_ps(x[0], x[1]));
    __m512d c = _mm512_castps_pd(_mm512_unpacklo_ps(x[2], x[3])), d = _mm512_castps_pd(_mm512_unpackhi_ps(x[2], x[3]));
    x[0] = _mm512_castpd_ps(_mm512_unpacklo_pd(a, c));
    x[1] = _mm512_castpd_ps(_mm512_unpackhi_pd(a, c));
    x[2] = _mm512_castpd_ps(_mm512_unpacklo_pd(b, d));
    x[3] = _mm512_castpd_ps(_mm512_unpackhi_pd(b, d));
}
/* Compute (e^2a + 1) / 2 of four vectors, 0 <= a <= 10, by canon_exp's steps in halves: r/2, its terms times powers of
 * two. All four advance in step, since one chain of fmas alone leaves the units idle. The magic number includes the
 * exponent's bias, so shifted left it is 2^n; an odd one rounds ties of 2a log2 e the other way, but no a has a tie. */
V_FN void v_half_exp4(vec x[4]) {
    vec shifted[4], n[4], p[4], magic = v_set(CANON_MAGIC + 127), half = v_set(0.5f);
    const float term[] = {16 * 0.008369026f, 8 * 0.041666202f, 4 * 0.16666518f, 2 * 0.5f};
    UNROLL for (int i = 0; i < 4; i++) shifted[i] = v_fma(x[i], v_set(2 * 1.442695f), magic);
    UNROLL for (int i = 0; i < 4; i++) n[i] = v_sub(shifted[i], magic);
    UNROLL for (int i = 0; i < 4; i++) x[i] = v_fma(n[i], v_set(-0x1.62e4p-2f), x[i]), p[i] = v_set(32 * 0.0013950717f);
    UNROLL for (int i = 0; i < 4; i++) x[i] = v_fma(n[i], v_set(-0x1.7f7d1cp-21f), x[i]);
    UNROLL for (int k = 0; k < 4; k++)
        UNROLL for (int i = 0; i < 4; i++) p[i] = v_fma(p[i], x[i], v_set(term[k]));
    UNROLL for (int i = 0; i < 4; i++) p[i] = v_add(v_fma(v_mul(x[i], x[i]), p[i], x[i]), half);
    UNROLL for (int i = 0; i < 4; i++) {
        vec power = _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_castps_si512(shifted[i]), 23));
        x[i] = v_fma(p[i], power, half);
    }
}
/* Compute canon_tanh of four vectors. From |x| = 10 on, 1 - 2/(e^2|x| + 1) is 1 whatever the quotient is; x^2 < 0.625^2
 * exactly when |x| < 0.625; a NaN counts as near. All 2^32 floats were compared. */
V_FN void v_tanh4(vec x[4]) {
    enum { LEAST_MAGNITUDE = 10, LEAST_MAGNITUDE_SIGN_OF_FIRST = 2 }; /* of vrangeps */
    const float term[] = {-0.008182663f, 0.021702962f, -0.053947203f, 0.1333321f, -0.3333333f};
    vec d[4], p[4], u[4];
    UNROLL for (int i = 0; i < 4; i++) d[i] = _mm512_range_ps(x[i], v_set(10.0f), LEAST_MAGNITUDE);
    v_half_exp4(d);
    UNROLL for (int i = 0; i < 4; i++) u[i] = v_mul(x[i], x[i]), p[i] = v_set(0.0021475276f);
    UNROLL for (int k = 0; k < 5; k++)
        UNROLL for (int i = 0; i < 4; i++) p[i] = v_fma(p[i], u[i], v_set(term[k]));
    UNROLL for (int i = 0; i < 4; i++) {
        __mmask16 near = _mm512_cmp_ps_mask(u[i], v_set(0.625f * 0.625f), _CMP_NGE_UQ);
        vec y =
            _mm512_range_ps(x[i], v_sub(v_set(1.0f), _mm512_div_ps(v_set(1.0f), d[i])), LEAST_MAGNITUDE_SIGN_OF_FIRST);
        y = _mm512_mask_mul_ps(y, near, p[i], u[i]);
        x[i] = _mm512_mask_fmadd_ps(y, near, x[i], x[i]);
    }
}
#define V_TANH
/* Compute p 2^n in one step, where shifted = n + CANON_MAGIC: scalef rounds once, as the two halves of 2^n do. */
V_FN vec v_scale(vec p, vec shifted, vec n) {
    (void)shifted;
    return _mm512_scalef_ps(p, n);
}
#define V_SCALE
/* WIDE lanes of 64 bits, whose low halves are the 32-bit words that Philox multiplies. */
enum { WIDE = 8 };
typedef __m512i wvec;
V_FN wvec w_set(uint64_t x) { return _mm512_set1_epi64((int64_t)x); }
V_FN wvec w_add(wvec a, wvec b) { return _mm512_add_epi64(a, b); }
/* Return the whole product of the low halves. */
V_FN wvec w_mul(wvec a, wvec b) { return _mm512_mul_epu32(a, b); }
V_FN wvec w_high(wvec a) { return _mm512_srli_epi64(a, 32); }
V_FN wvec w_xor3(wvec a, wvec b, wvec c) { return _mm512_ternarylogic_epi64(a, b, c, 0x96); }
/* Block b of WIDE is in lane 2b, and in lane 2b + 1 - WIDE from the middle on: then w_store_blocks needs no permute. */
V_FN wvec w_blocks(void) { return _mm512_setr_epi64(0, 4, 1, 5, 2, 6, 3, 7); }
/* to[4b + w] = the low half of word[w] in block b's lane. */
V_FN void w_store_blocks(uint32_t *to, const wvec word[4]) {
    wvec low = _mm512_mask_mov_epi32(word[0], 0xaaaa, _mm512_slli_epi64(word[1], 32));
    wvec high = _mm512_mask_mov_epi32(word[2], 0xaaaa, _mm512_slli_epi64(word[3], 32));
    _mm512_storeu_si512(to, _mm512_unpacklo_epi64(low, high));
    _mm512_storeu_si512(to + 2 * WIDE, _mm512_unpackhi_epi64(low, high));
}
#define V_WIDE
#elif defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>
enum { VEC = 8 };
typedef __m256 vec;
V_FN vec v_zero(void) { return _mm256_setzero_ps(); }
V_FN vec v_set(float x) { return _mm256_set1_ps(x); }
V_FN vec v_load(const float *p) { return _mm256_loadu_ps(p); }
V_FN __m256i v_lanes(int n) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
V_FN vec v_load_first(const float *p, int n) { return _mm256_maskload_ps(p, v_lanes(n)); }
V_FN void v_store(float *p, vec x) { _mm256_storeu_ps(p, x); }
V_FN void v_store_first(float *p, vec x, int n) { _mm256_maskstore_ps(p, v_lanes(n), x); }
V_FN vec v_first(vec x, vec y, int n) { return _mm256_blendv_ps(y, x, _mm256_castsi256_ps(v_lanes(n))); }
V_FN vec v_fma(vec a, vec b, vec c) { return _mm256_fmadd_ps(a, b, c); }
V_FN void v_chain(vec *chain, vec a, vec b) { __asm__("vfmadd231ps %2, %1, %0" : "+x"(*chain) : "x"(a), "x"(b)); }
V_FN void v_sum(vec *sum, vec x) { __asm__("vaddps %1, %0, %0" : "+x"(*sum) : "x"(x)); }
V_FN vec v_fnma(vec a, vec b, vec c) { return _mm256_fnmadd_ps(a, b, c); }
V_FN vec v_add(vec a, vec b) { return _mm256_add_ps(a, b); }
V_FN vec v_sub(vec a, vec b) { return _mm256_sub_ps(a, b); }
V_FN vec v_mul(vec a, vec b) { return _mm256_mul_ps(a, b); }
V_FN vec v_max(vec a, vec b) { return _mm256_max_ps(a, b); }
V_FN vec v_load_quads(const float *p, size_t step) {
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(p)), _mm_loadu_ps(p + 4 * step), 1);
}
V_FN void v_transpose_quads(vec x[4]) {
    __m256d a = _mm256_castps_pd(_mm256_unpacklo_ps(x[0], x[1])), b = _mm256_castps_pd(_mm256_unpackhi_ps(x[0], x[1]));
    __m256d c = _mm256_castps_pd(_mm256_unpacklo_ps(x[2], x[3])), d = _mm256_castps_pd(_mm256_unpackhi_ps(x[2], x[3]));
    x[0] = _mm256_castpd_ps(_mm256_unpacklo_pd(a, c));
    x[1] = _mm256_castpd_ps(_mm256_unpackhi_pd(a, c));
    x[2] = _mm256_castpd_ps(_mm256_unpacklo_pd(b, d));
    x[3] = _mm256_castpd_ps(_mm256_unpackhi_pd(b, d));
}
/* Compute p 2^n: the low bits of `shifted` are n, those of half its bits n >> 1; shifted left they become exponents. */
V_FN vec v_scale(vec p, vec shifted, vec n) {
    (void)n;
    const __m256i one = _mm256_castps_si256(v_set(1.0f)), bits = _mm256_castps_si256(shifted);
    __m256i half = _mm256_srli_epi32(bits, 1), rest = _mm256_sub_epi32(bits, half);
    half = _mm256_add_epi32(_mm256_slli_epi32(half, 23), one),
    rest = _mm256_add_epi32(_mm256_slli_epi32(rest, 23), one);
    return v_mul(v_mul(p, _mm256_castsi256_ps(half)), _mm256_castsi256_ps(rest));
}
#define V_SCALE
enum { WIDE = 4 };
typedef __m256i wvec;
V_FN wvec w_set(uint64_t x) { return _mm256_set1_epi64x((int64_t)x); }
V_FN wvec w_add(wvec a, wvec b) { return _mm256_add_epi64(a, b); }
V_FN wvec w_mul(wvec a, wvec b) { return _mm256_mul_epu32(a, b); }
V_FN wvec w_high(wvec a) { return _mm256_srli_epi64(a, 32); }
V_FN wvec w_xor3(wvec a, wvec b, wvec c) { return _mm256_xor_si256(_mm256_xor_si256(a, b), c); }
V_FN wvec w_blocks(void) { return _mm256_setr_epi64x(0, 2, 1, 3); }
V_FN void w_store_blocks(uint32_t *to, const wvec word[4]) {
    wvec low = _mm256_blend_epi32(word[0], _mm256_slli_epi64(word[1], 32), 0xaa);
    wvec high = _mm256_blend_epi32(word[2], _mm256_slli_epi64(word[3], 32), 0xaa);
    _mm256_storeu_si256((__m256i *)(void *)to, _mm256_unpacklo_epi64(low, high));
    _mm256_storeu_si256((__m256i *)(void *)(to + 2 * WIDE), _mm256_unpackhi_epi64(low, high));
}
#define V_WIDE
#else
enum { VEC = 4 };
typedef struct { float lane[VEC]; } vec;
#define V_EACH(expression) \
    vec out; \
    for (int i = 0; i < VEC; i++) out.lane[i] = (expression); \
    return out
V_FN vec v_zero(void) { V_EACH(0.0f); }
V_FN vec v_set(float x) { V_EACH(x); }
V_FN vec v_load(const float *p) { V_EACH(p[i]); }
V_FN vec v_load_first(const float *p, int n) { V_EACH(i < n ? p[i] : 0.0f); }
V_FN void v_store(float *p, vec x) { memcpy(p, x.lane, sizeof x.lane); }
V_FN void v_store_first(float *p, vec x, int n) { memcpy(p, x.lane, (size_t)n * sizeof(float)); }
V_FN vec v_first(vec x, vec y, int n) { V_EACH(i < n ? x.lane[i] : y.lane[i]); }
V_FN vec v_fma(vec a, vec b, vec c) { V_EACH(CANON_FMA(a.lane[i], b.lane[i], c.lane[i])); }
V_FN void v_chain(vec *chain, vec a, vec b) { *chain = v_fma(a, b, *chain); }
V_FN void v_sum(vec *sum, vec x) {
    for (int i = 0; i < VEC; i++) sum->lane[i] += x.lane[i];
}
V_FN vec v_fnma(vec a, vec b, vec c) { V_EACH(CANON_FMA(-a.lane[i], b.lane[i], c.lane[i])); }
V_FN vec v_add(vec a, vec b) { V_EACH(a.lane[i] + b.lane[i]); }
V_FN vec v_sub(vec a, vec b) { V_EACH(a.lane[i] - b.lane[i]); }
V_FN vec v_mul(vec a, vec b) { V_EACH(a.lane[i] * b.lane[i]); }
V_FN vec v_max(vec a, vec b) { V_EACH(a.lane[i] > b.lane[i] ? a.lane[i] : b.lane[i]); }
V_FN vec v_load_quads(const float *p, size_t step) {
    (void)step;
    V_EACH(p[i]);
}
V_FN void v_transpose_quads(vec x[4]) {
    vec y[4];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) y[j].lane[i] = x[i].lane[j];
    for (int i = 0; i < 4; i++) x[i] = y[i];
}
#endif

/* x[j] lane i = p[i * step + j] for four j. */
V_FN void v_load_turned(vec x[4], const float *p, size_t step) {
    UNROLL for (size_t i = 0; i < 4; i++) x[i] = v_load_quads(p + i * step, step);
    v_transpose_quads(x);
}

#ifndef V_TANH
V_FN void v_tanh4(vec x[4]) {
    float y[4 * VEC];
    for (int i = 0; i < 4; i++) v_store(y + i * VEC, x[i]);
    for (int i = 0; i < 4 * VEC; i++) y[i] = canon_tanh(y[i]);
    for (int i = 0; i < 4; i++) x[i] = v_load(y + i * VEC);
}
#endif

#endif
