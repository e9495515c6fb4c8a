/* Round to fp16 and back by instructions (F16C, AVX-512), with the bits of rounding_fp16. */
#ifndef KERNELS_CPU_SIMD_VEC_ROUND_H
#define KERNELS_CPU_SIMD_VEC_ROUND_H

/* Round x[n] into y[n] in whole vectors; return how many were rounded. */
#if defined(__AVX512F__)
#include <immintrin.h>
static inline int v_round_fp16(const float *x, float *y, int n) {
    int i = 0;
    for (; i + 16 <= n; i += 16)
        _mm512_storeu_ps(y + i, _mm512_cvtph_ps(_mm512_cvtps_ph(_mm512_loadu_ps(x + i),
                                                                _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)));
    return i;
}
#elif defined(__F16C__)
#include <immintrin.h>
static inline int v_round_fp16(const float *x, float *y, int n) {
    int i = 0;
    for (; i + 8 <= n; i += 8)
        _mm256_storeu_ps(y + i, _mm256_cvtph_ps(_mm256_cvtps_ph(_mm256_loadu_ps(x + i), _MM_FROUND_TO_NEAREST_INT)));
    return i;
}
#else
static inline __attribute__((unused)) int v_round_fp16(const float *x, float *y, int n) {
    (void)x, (void)y, (void)n;
    return 0;
}
#endif

#endif
