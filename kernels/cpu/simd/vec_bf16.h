/* Vector layer of products in bf16: 16 floats (`lanes`) and 16 pairs of bf16 (`pairs`) at a time, in the compiler's
 * vector types.
 *
 * Compiled for AVX512-BF16 and AMX it uses the instructions; otherwise, their twins in software. */
#ifndef KERNELS_CPU_SIMD_VEC_BF16_H
#define KERNELS_CPU_SIMD_VEC_BF16_H

#include "kernels/cpu/simd/bf16.h"
#include "kernels/cpu/simd/pack.h"

enum { PAIRS = 16, STEP = 2 * PAIRS }; /* pairs in a vector; their steps of k */
#if defined(__AVX512BF16__)
enum { PARTS = 1 };
#elif defined(__AVX2__)
enum { PARTS = 2 };
#else
enum { PARTS = 4 };
#endif
/* Vectors as wide as the machine's registers: of floats, of bits, and of comparison results. */
typedef float fpart __attribute__((vector_size(64 / PARTS)));
typedef uint32_t upart __attribute__((vector_size(64 / PARTS)));
typedef int32_t ipart __attribute__((vector_size(64 / PARTS)));
typedef struct { fpart at[PARTS]; } lanes;
typedef struct { upart at[PARTS]; } pairs;
#define EACH_PART(type, expression) \
    type out; \
    UNROLL for (int i = 0; i < PARTS; i++) out.at[i] = (expression); \
    return out

V_FN lanes l_load(const float *p) {
    lanes x;
    memcpy(&x, p, sizeof x);
    return x;
}
V_FN void l_store(float *p, lanes x) { memcpy(p, &x, sizeof x); }
V_FN pairs p_load(const uint32_t *p) {
    pairs x;
    memcpy(&x, p, sizeof x);
    return x;
}
V_FN void p_store(uint32_t *p, pairs x) { memcpy(p, &x, sizeof x); }
V_FN pairs p_set(uint32_t x) { EACH_PART(pairs, x - (upart){0}); }
V_FN lanes l_zero(void) { EACH_PART(lanes, (fpart){0}); }

#if defined(__AVX512BF16__)
V_FN lanes l_load_first(const float *p, int n) { EACH_PART(lanes, (fpart)v_load_first(p, n)); }

/* Round to pairs: members 0 to 15 from low, 16 to 31 from high. */
V_FN pairs p_round(lanes low, lanes high) {
    EACH_PART(pairs, (upart)_mm512_cvtne2ps_pbh((__m512)high.at[i], (__m512)low.at[i]));
}

/* Add the pairs' odd product to c, then their even one. */
V_FN lanes p_dot(lanes c, pairs a, pairs b) {
    EACH_PART(lanes, (fpart)_mm512_dpbf16_ps((__m512)c.at[i], (__m512bh)a.at[i], (__m512bh)b.at[i]));
}

/* Load pairs along k: pair i has members 2i and 2i + 1 of n numbers; +0 beyond. */
V_FN pairs p_along(const float *p, int n) {
    if (n >= STEP) return p_round(l_load(p), l_load(p + PAIRS));
    return p_round(l_load_first(p, least(n, PAIRS)), n > PAIRS ? l_load_first(p + PAIRS, n - PAIRS) : l_zero());
}

/* Load pairs across rows: pair i has number i of two rows of n; +0 beyond, and for a row that is NULL. */
V_FN pairs p_across(const float *even, const float *odd, int n) {
    const __m512i order = _mm512_set_epi16(31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24, 8, 23, 7, 22, 6,
                                           21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
    pairs both = n >= PAIRS ? p_round(l_load(even), odd ? l_load(odd) : l_zero())
                            : p_round(l_load_first(even, n), odd ? l_load_first(odd, n) : l_zero());
    EACH_PART(pairs, (upart)_mm512_permutexvar_epi16(order, (__m512i)both.at[i]));
}

/* to[i][j] = from[j][i] */
V_FN void p_turn(uint32_t *to, size_t step, const uint32_t from[PAIRS * PAIRS]) {
    UNROLL for (size_t i = 0; i < PAIRS; i += 4) {
        vec x[4];
        v_load_turned(x, (const float *)(const void *)(from + i), PAIRS);
        UNROLL for (size_t j = 0; j < 4; j++) v_store((float *)(void *)(to + (i + j) * step), x[j]);
    }
}
#else
V_FN lanes p_even(pairs x) { EACH_PART(lanes, (fpart)(x.at[i] << 16)); }
V_FN lanes p_odd(pairs x) { EACH_PART(lanes, (fpart)(x.at[i] & 0xffff0000u)); }
V_FN ipart f_magnitude(fpart x) { return (ipart)x & 0x7fffffff; }
V_FN upart u_choose(ipart mask, upart yes, upart no) { return ((upart)mask & yes) | (~(upart)mask & no); }

/* Apply bf16_round to each lane. */
V_FN upart f_round(fpart x) {
    upart bits = (upart)x, high = bits >> 16, out = (bits + 0x7fffu + (high & 1)) >> 16;
    out = u_choose(f_magnitude(x) > (int32_t)BF16_INFINITY, high | 0x40u, out);
    return u_choose(f_magnitude(x) < (int32_t)BF16_NORMAL, high & 0x8000u, out);
}
V_FN pairs p_pair(lanes even, lanes odd) { EACH_PART(pairs, f_round(even.at[i]) | f_round(odd.at[i]) << 16); }

V_FN fpart f_fma(fpart a, fpart b, fpart c) {
#if defined(__AVX2__) && defined(__FMA__)
    return (fpart)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#else
    for (int i = 0; i < PAIRS / PARTS; i++) c[i] = CANON_FMA(a[i], b[i], c[i]);
    return c;
#endif
}

static __attribute__((noinline)) void l_careful(float *c, const float *a, const float *b) {
    for (int i = 0; i < PAIRS; i++) c[i] = bf16_step(a[i], b[i], c[i]);
}

/* Apply bf16_step to each lane; if any result is small, correct all. */
V_FN lanes l_step(lanes a, lanes b, lanes c) {
    lanes sum;
    ipart small = {0};
    uint64_t word[sizeof small / sizeof(uint64_t)], any = 0;
    UNROLL for (int i = 0; i < PARTS; i++) {
        sum.at[i] = f_fma(a.at[i], b.at[i], c.at[i]);
        ipart size = f_magnitude(sum.at[i]);
        small |= (size > 0) & (size <= (int32_t)BF16_NORMAL);
    }
    memcpy(word, &small, sizeof small);
    for (size_t i = 0; i < sizeof word / sizeof *word; i++) any |= word[i];
    if (!any) return sum;
    float x[PAIRS], y[PAIRS], z[PAIRS];
    l_store(x, a), l_store(y, b), l_store(z, c);
    l_careful(z, x, y);
    return l_load(z);
}

/* Flush each lane as bf16_add does. */
V_FN fpart f_flush(fpart x) {
    return (fpart)u_choose(f_magnitude(x) < (int32_t)BF16_NORMAL, (upart)x & 0x80000000u, (upart)x);
}
V_FN lanes l_add(lanes a, lanes b) { EACH_PART(lanes, f_flush(a.at[i] + b.at[i])); }

V_FN lanes p_dot(lanes c, pairs a, pairs b) {
    return l_step(p_even(a), p_even(b), l_step(p_odd(a), p_odd(b), c));
}

V_FN lanes l_load_first(const float *p, int n) {
    lanes x = l_zero();
    memcpy(&x, p, (size_t)least(n, PAIRS) * sizeof *p);
    return x;
}
V_FN pairs p_along(const float *p, int n) {
    float even[PAIRS] = {0}, odd[PAIRS] = {0};
    for (int i = 0; 2 * i < n && i < PAIRS; i++) even[i] = p[2 * i], odd[i] = 2 * i + 1 < n ? p[2 * i + 1] : 0;
    return p_pair(l_load(even), l_load(odd));
}
V_FN pairs p_across(const float *even, const float *odd, int n) {
    return p_pair(l_load_first(even, n), odd ? l_load_first(odd, n) : l_zero());
}
V_FN void p_turn(uint32_t *to, size_t step, const uint32_t from[PAIRS * PAIRS]) {
    for (size_t i = 0; i < PAIRS; i++)
        for (size_t j = 0; j < PAIRS; j++) to[i * step + j] = from[j * PAIRS + i];
}
#endif

/* Eight tile registers of 16 rows of 64 bytes: 0 to 3 hold floats, 4 to 7 pairs. Numbers are literals, as in the
 * instructions; `steps` are bytes between rows. */
#if defined(__AMX_BF16__) || defined(__AMXBF16__)
typedef struct { char none; } Tiles;
/* Force what tile instructions read to memory: compilers' headers do not always say that they read it. */
#define T_SETTLE(at) __asm__ volatile("" ::"r"(at) : "memory")
V_FN void t_open(Tiles *t) {
    struct { uint8_t palette, start, none[14]; uint16_t bytes[16]; uint8_t rows[16]; } shape = {.palette = 1};
    for (int i = 0; i < 8; i++) shape.bytes[i] = 4 * PAIRS, shape.rows[i] = PAIRS;
    T_SETTLE(&shape);
    _tile_loadconfig(&shape);
    (void)t;
}
V_FN void t_close(Tiles *t) {
    _tile_release();
    (void)t;
}
#define T_ZERO(t, to) _tile_zero(to)
#define T_LOAD(t, to, at, step) _tile_loadd(to, at, (long)((step) * 4))
#define T_STORE(t, from, at, step) _tile_stored(from, at, (long)((step) * 4))
#define T_DOT(t, to, a, b) _tile_dpbf16ps(to, a, b)
#elif defined(BF16_AMX)
#define T_SETTLE(at) (void)(at)
typedef struct { uint32_t word[8][PAIRS * PAIRS]; } Tiles;
V_FN void t_open(Tiles *t) { (void)t; }
V_FN void t_close(Tiles *t) { (void)t; }
V_FN void t_copy(uint32_t *to, size_t to_step, const uint32_t *from, size_t step) {
    for (size_t r = 0; r < PAIRS; r++) p_store(to + r * to_step, p_load(from + r * step));
}
static inline void t_dot(uint32_t *to, const uint32_t *a, const uint32_t *b) {
    for (int r = 0; r < PAIRS; r++) {
        lanes even = l_zero(), odd = l_zero();
        float *line = (float *)(void *)(to + r * PAIRS);
        for (int i = 0; i < PAIRS; i++) {
            pairs x = p_set(a[r * PAIRS + i]), y = p_load(b + i * PAIRS);
            even = l_step(p_even(x), p_even(y), even), odd = l_step(p_odd(x), p_odd(y), odd);
        }
        l_store(line, l_add(l_load(line), l_add(even, odd)));
    }
}
#define T_ZERO(t, to) memset((t)->word[to], 0, sizeof(t)->word[to])
#define T_LOAD(t, to, at, step) t_copy((t)->word[to], PAIRS, (const void *)(at), step)
#define T_STORE(t, from, at, step) t_copy((void *)(at), step, (t)->word[from], PAIRS)
#define T_DOT(t, to, a, b) t_dot((t)->word[to], (t)->word[a], (t)->word[b])
#endif

#endif
