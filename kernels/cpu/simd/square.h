/* The parts of causal attention on squares of VEC keys by VEC queries. A band is the row of squares 0..band that VEC
 * queries see: s[square][key][query], the last one on the diagonal. A vector holds VEC queries of one key, so that
 * rule 3's lanes are whole vectors and fold without a shuffle; matrices stand in squares too, [rows][VEC columns].
 *
 * On the diagonal the steps of absent keys are left out, not multiplied by zero. Where a key is absent stands -infinity,
 * which changes no maximum, then +0, which changes no sum of exponentials; other sums leave it out.
 *
 * The code must fit the cache of decoded instructions, since fmas with long addresses are slow to decode: so the parts
 * are functions of their own, each once, and chains are loops of a few steps. Loops over the rows of one square are unrolled,
 * since the branch at the end of a short loop is often mispredicted. */
#ifndef KERNELS_CPU_SIMD_SQUARE_H
#define KERNELS_CPU_SIMD_SQUARE_H

#include "kernels/cpu/simd/exp.h"
#include "kernels/cpu/simd/pack.h"
#include "kernels/cpu/simd/tile.h"

/* STEPS of a chain go without a branch. */
enum { SQUARE = VEC * VEC, GROUPS = CANON_LANES / VEC, STEPS = VEC == 8 ? 8 : 4 };
#define SQUARE_FN static __attribute__((noinline))

/* t(r) <- fma(a(r, l), b(l), t(r)) for l = 0..k-1: a in squares of VEC columns, b in rows. */
V_FN void square_chain(vec t[VEC], const float *a, const float *b, int k) {
    for (; k > 0; k -= VEC, a += SQUARE - VEC) {
        const float *end = a + VEC;
        int l = least(k, VEC);
        for (; l >= STEPS; l -= STEPS, a += STEPS, b += STEPS * VEC)
            UNROLL for (int i = 0; i < STEPS; i++) tile_step(t, VEC, 1, a + i, VEC, b + i * VEC);
        for (; l; l--, a++, b += VEC) tile_step(t, VEC, 1, a, VEC, b);
        a = end;
    }
}

/* s(key, query) = scale (a(key) . b(query)): a in squares of VEC columns, b turned. */
SQUARE_FN void square_dots(float *s, const float *a, const float *b, int h, float scale) {
    vec t[VEC];
    tile_zero(t, VEC, 1);
    square_chain(t, a, b, h);
    UNROLL for (int i = 0; i < VEC; i++) t[i] = v_mul(t[i], v_set(scale));
    tile_store(t, VEC, 1, s, VEC);
}

/* y(key) continued over `count` queries: a(key, query) b(query). */
SQUARE_FN void square_spread(float *y, const float *a, const float *b, int count) {
    vec t[VEC];
    tile_load(t, VEC, 1, y, VEC);
    square_chain(t, a, b, count);
    tile_store(t, VEC, 1, y, VEC);
}

/* The same on the diagonal, where y(key) begins: queries from the key on. */
SQUARE_FN void diagonal_spread(float *y, const float *a, const float *b, int count) {
    vec t[VEC];
    tile_zero(t, VEC, 1);
    UNROLL for (int i = 0; i < VEC; i++)
        if (i < count) {
            vec line = v_load(b + i * VEC);
            UNROLL for (int j = 0; j <= i; j++) t[j] = v_fma(v_set(a[j * VEC + i]), line, t[j]);
        }
    tile_store(t, VEC, 1, y, VEC);
}

/* y(query) = sum over the keys it sees of p(key, query) b(key); b's squares are `step` apart. */
SQUARE_FN void band_sum(float *y, const float *p, const float *b, size_t step, int band) {
    vec t[VEC];
    tile_zero(t, VEC, 1);
    for (; band; band--, b += step - SQUARE)
        for (int j = 0; j < VEC; j += STEPS, p += STEPS * VEC, b += STEPS * VEC)
            UNROLL for (int i = 0; i < STEPS; i++) tile_step(t, VEC, 1, p + i * VEC, 1, b + i * VEC);
    UNROLL for (int j = 0; j < VEC; j++) {
        vec line = v_load(b + j * VEC);
        UNROLL for (int i = j; i < VEC; i++) t[i] = v_fma(v_set(p[j * VEC + i]), line, t[i]);
    }
    tile_store(t, VEC, 1, y, VEC);
}

V_FN vec fold_pair(vec a, vec b, const bool most) {
    return most ? v_max(b, a) : v_add(a, b);
}

/* Rule 3 for VEC queries at once: lanes[lane][query]. */
V_FN vec fold_lanes(const float *lanes, const bool most) {
    vec x[CANON_LANES / 2];
    UNROLL for (int i = 0; i < CANON_LANES / 2; i++)
        x[i] = fold_pair(v_load(lanes + i * VEC), v_load(lanes + (i + CANON_LANES / 2) * VEC), most);
    UNROLL for (int half = CANON_LANES / 4; half; half /= 2)
        UNROLL for (int i = 0; i < half; i++) x[i] = fold_pair(x[i], x[i + half], most);
    return x[0];
}

/* Absent keys get -infinity; each query's largest score. */
SQUARE_FN vec band_max(float *s, int band) {
    _Alignas(64) float lanes[CANON_LANES * VEC], *diagonal = s + band * SQUARE;
    UNROLL for (int j = 1; j < VEC; j++)
        v_store(diagonal + j * VEC, v_first(v_set(-INFINITY), v_load(diagonal + j * VEC), j));
    for (int g = 0; g < GROUPS; g++) {
        vec lane[VEC];
        UNROLL for (int i = 0; i < VEC; i++) lane[i] = v_set(-INFINITY);
        for (int square = g; square <= band; square += GROUPS)
            UNROLL for (int i = 0; i < VEC; i++) lane[i] = v_max(v_load(s + square * SQUARE + i * VEC), lane[i]);
        tile_store(lane, VEC, 1, lanes + g * SQUARE, VEC);
    }
    return fold_lanes(lanes, true);
}

/* e^(s - most) of EXPS keys from key j on; absent keys take 0 for s - most, without the cost of an underflow. */
V_FN void keys_exp(vec x[EXPS], const float *s, vec most, int j, const bool diagonal) {
    UNROLL for (int r = 0; r < EXPS; r++) {
        x[r] = v_load(s + (j + r) * VEC);
        if (diagonal) x[r] = v_first(most, x[r], j + r);
        x[r] = v_sub(x[r], most);
    }
    v_exp_below(x);
}

/* s <- e^(s - most), lane <- lane + s; absent keys get +0. */
V_FN void square_exp(float *s, float *lane, vec most, const bool diagonal) {
    for (int j = 0; j < VEC; j += EXPS) {
        vec x[EXPS];
        keys_exp(x, s, most, j, diagonal);
        UNROLL for (int r = 0; r < EXPS; r++) {
            if (diagonal) x[r] = v_first(v_zero(), x[r], j + r);
            v_store(s + (j + r) * VEC, x[r]);
            v_store(lane + (j + r) * VEC, v_add(v_load(lane + (j + r) * VEC), x[r]));
        }
    }
}

/* p <- e^(p - most) inverse, lane <- fma(p, ds, lane), present keys only. */
V_FN void square_gradient(float *p, const float *ds, float *lane, vec most, vec inverse, const bool diagonal) {
    for (int j = 0; j < VEC; j += EXPS) {
        vec x[EXPS];
        keys_exp(x, p, most, j, diagonal);
        UNROLL for (int r = 0; r < EXPS; r++) {
            int at_key = (j + r) * VEC;
            vec old = v_load(lane + at_key), y = v_mul(x[r], inverse), sum = v_fma(y, v_load(ds + at_key), old);
            v_store(p + at_key, y);
            v_store(lane + at_key, diagonal ? v_first(old, sum, j + r) : sum);
        }
    }
}

/* Every row of p times the factor of each query. */
V_FN void square_scale(float *p, vec factor) {
    UNROLL for (int i = 0; i < SQUARE; i += VEC) v_store(p + i, v_mul(v_load(p + i), factor));
}

/* ds <- p (ds - dot) scale */
V_FN void square_center(float *ds, const float *p, vec dot, vec scale) {
    UNROLL for (int i = 0; i < SQUARE; i += VEC)
        v_store(ds + i, v_mul(v_mul(v_load(p + i), v_sub(v_load(ds + i), dot)), scale));
}

/* Rows that exist of VEC rows, and the first `cols` of VEC columns. */
SQUARE_FN void put_rows(float *to, size_t step, const float *y, int rows, int cols, bool accumulate) {
    if (cols == VEC && rows == VEC && !accumulate) {
        UNROLL for (int i = 0; i < VEC; i++) v_store(to + (size_t)i * step, v_load(y + i * VEC));
        return;
    }
    if (cols == VEC)
        for (; rows; rows--, to += step, y += VEC) v_store(to, accumulate ? v_add(v_load(to), v_load(y)) : v_load(y));
    for (; rows; rows--, to += step, y += VEC)
        v_store_first(to, accumulate ? v_add(v_load_first(to, cols), v_load(y)) : v_load(y), cols);
}

#endif
