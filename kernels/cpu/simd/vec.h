/* One small vector layer: VEC floats at a time, the same operations for every instruction set the file is compiled for.
 * Only operations whose result in a lane does not depend on the vector width are here. */
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
/* The first n lanes of x, the others of y. */
V_FN vec v_first(vec x, vec y, int n) { return _mm512_mask_mov_ps(y, (__mmask16)((1u << n) - 1), x); }
V_FN vec v_fma(vec a, vec b, vec c) { return _mm512_fmadd_ps(a, b, c); }
V_FN vec v_add(vec a, vec b) { return _mm512_add_ps(a, b); }
V_FN vec v_sub(vec a, vec b) { return _mm512_sub_ps(a, b); }
V_FN vec v_mul(vec a, vec b) { return _mm512_mul_ps(a, b); }
/* a > b ? a : b */
V_FN vec v_max(vec a, vec b) { return _mm512_max_ps(a, b); }
/* Lanes 4g..4g+3 from line[4g] + l: four consecutive words of every fourth line. */
V_FN vec v_load_quads(const float *const *line, size_t l) {
    __m512 x = _mm512_castps128_ps512(_mm_loadu_ps(line[0] + l));
    x = _mm512_mask_broadcast_f32x4(x, 0x00f0, _mm_loadu_ps(line[4] + l));
    x = _mm512_mask_broadcast_f32x4(x, 0x0f00, _mm_loadu_ps(line[8] + l));
    return _mm512_mask_broadcast_f32x4(x, 0xf000, _mm_loadu_ps(line[12] + l));
}
/* Inside every four lanes: x[i] lane j <-> x[j] lane i. */
V_FN void v_transpose_quads(vec x[4]) {
    __m512d a = _mm512_castps_pd(_mm512_unpacklo_ps(x[0], x[1])), b = _mm512_castps_pd(_mm512_unpackhi_ps(x[0], x[1]));
    __m512d c = _mm512_castps_pd(_mm512_unpacklo_ps(x[2], x[3])), d = _mm512_castps_pd(_mm512_unpackhi_ps(x[2], x[3]));
    x[0] = _mm512_castpd_ps(_mm512_unpacklo_pd(a, c));
    x[1] = _mm512_castpd_ps(_mm512_unpackhi_pd(a, c));
    x[2] = _mm512_castpd_ps(_mm512_unpacklo_pd(b, d));
    x[3] = _mm512_castpd_ps(_mm512_unpackhi_pd(b, d));
}
/* canon_exp with 2^k in one exact step: scalef rounds once, as the two halves of 2^k do. */
V_FN vec v_exp(vec x) {
    vec t = _mm512_min_ps(v_set(89.0f), _mm512_max_ps(v_set(-104.0f), x)), magic = v_set(CANON_MAGIC);
    vec n = v_sub(v_fma(t, v_set(1.442695f), magic), magic);
    vec r = v_fma(n, v_set(-0x1.7f7d1cp-20f), v_fma(n, v_set(-0x1.62e4p-1f), t)), p = v_set(0.0013950717f);
    p = v_fma(p, r, v_set(0.008369026f));
    p = v_fma(p, r, v_set(0.041666202f));
    p = v_fma(p, r, v_set(0.16666518f));
    p = v_fma(p, r, v_set(0.5f));
    p = v_add(v_fma(v_mul(r, r), p, r), v_set(1.0f));
    return _mm512_scalef_ps(p, n);
}
#define V_EXP
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
V_FN vec v_add(vec a, vec b) { return _mm256_add_ps(a, b); }
V_FN vec v_sub(vec a, vec b) { return _mm256_sub_ps(a, b); }
V_FN vec v_mul(vec a, vec b) { return _mm256_mul_ps(a, b); }
V_FN vec v_max(vec a, vec b) { return _mm256_max_ps(a, b); }
V_FN vec v_load_quads(const float *const *line, size_t l) {
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(line[0] + l)), _mm_loadu_ps(line[4] + l), 1);
}
V_FN void v_transpose_quads(vec x[4]) {
    __m256d a = _mm256_castps_pd(_mm256_unpacklo_ps(x[0], x[1])), b = _mm256_castps_pd(_mm256_unpackhi_ps(x[0], x[1]));
    __m256d c = _mm256_castps_pd(_mm256_unpacklo_ps(x[2], x[3])), d = _mm256_castps_pd(_mm256_unpackhi_ps(x[2], x[3]));
    x[0] = _mm256_castpd_ps(_mm256_unpacklo_pd(a, c));
    x[1] = _mm256_castpd_ps(_mm256_unpackhi_pd(a, c));
    x[2] = _mm256_castpd_ps(_mm256_unpacklo_pd(b, d));
    x[3] = _mm256_castpd_ps(_mm256_unpackhi_pd(b, d));
}
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
V_FN vec v_add(vec a, vec b) { V_EACH(a.lane[i] + b.lane[i]); }
V_FN vec v_sub(vec a, vec b) { V_EACH(a.lane[i] - b.lane[i]); }
V_FN vec v_mul(vec a, vec b) { V_EACH(a.lane[i] * b.lane[i]); }
V_FN vec v_max(vec a, vec b) { V_EACH(a.lane[i] > b.lane[i] ? a.lane[i] : b.lane[i]); }
V_FN vec v_load_quads(const float *const *line, size_t l) { V_EACH(line[0][l + (size_t)i]); }
V_FN void v_transpose_quads(vec x[4]) {
    vec y[4];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) y[j].lane[i] = x[i].lane[j];
    for (int i = 0; i < 4; i++) x[i] = y[i];
}
#endif

#ifndef V_EXP
V_FN vec v_exp(vec x) {
    float y[VEC];
    v_store(y, x);
    for (int i = 0; i < VEC; i++) y[i] = canon_exp(y[i]);
    return v_load(y);
}
#endif

#endif
