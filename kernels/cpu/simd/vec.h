/* One small vector layer: V floats at a time, the same operations for every instruction set the file is compiled for.
 * Only operations whose result does not depend on the vector width are here. */
#ifndef KERNELS_CPU_SIMD_VEC_H
#define KERNELS_CPU_SIMD_VEC_H

#include "kernels/cpu/real.h"

#if defined(__AVX512F__)
#include <immintrin.h>
#define VEC 16
typedef __m512 vec;
static inline vec v_zero(void) { return _mm512_setzero_ps(); }
static inline vec v_set(float x) { return _mm512_set1_ps(x); }
static inline vec v_load(const float *p) { return _mm512_loadu_ps(p); }
static inline void v_store(float *p, vec x) { _mm512_storeu_ps(p, x); }
static inline vec v_fma(vec a, vec b, vec c) { return _mm512_fmadd_ps(a, b, c); }
static inline vec v_add(vec a, vec b) { return _mm512_add_ps(a, b); }
static inline vec v_mul(vec a, vec b) { return _mm512_mul_ps(a, b); }
#elif defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>
#define VEC 8
typedef __m256 vec;
static inline vec v_zero(void) { return _mm256_setzero_ps(); }
static inline vec v_set(float x) { return _mm256_set1_ps(x); }
static inline vec v_load(const float *p) { return _mm256_loadu_ps(p); }
static inline void v_store(float *p, vec x) { _mm256_storeu_ps(p, x); }
static inline vec v_fma(vec a, vec b, vec c) { return _mm256_fmadd_ps(a, b, c); }
static inline vec v_add(vec a, vec b) { return _mm256_add_ps(a, b); }
static inline vec v_mul(vec a, vec b) { return _mm256_mul_ps(a, b); }
#else
#define VEC 4
typedef struct { float lane[VEC]; } vec;
#define V_EACH(expression) \
    vec y; \
    for (int i = 0; i < VEC; i++) y.lane[i] = (expression); \
    return y
static inline vec v_zero(void) { V_EACH(0.0f); }
static inline vec v_set(float x) { V_EACH(x); }
static inline vec v_load(const float *p) { V_EACH(p[i]); }
static inline void v_store(float *p, vec x) { memcpy(p, x.lane, sizeof x.lane); }
static inline vec v_fma(vec a, vec b, vec c) { V_EACH(CANON_FMA(a.lane[i], b.lane[i], c.lane[i])); }
static inline vec v_add(vec a, vec b) { V_EACH(a.lane[i] + b.lane[i]); }
static inline vec v_mul(vec a, vec b) { V_EACH(a.lane[i] * b.lane[i]); }
#endif

#endif
