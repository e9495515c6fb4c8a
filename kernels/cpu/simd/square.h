/* The parts of causal attention on squares of VEC queries by VEC keys. A band is the row of squares 0..band that VEC
 * queries see: s[square][query][key], the last one on the diagonal. In a square one vector holds VEC keys (scores, where
 * rule 3's lanes are whole vectors) or VEC columns of the head (sums over keys or queries, which are chains of tile.h).
 *
 * On the diagonal the steps of absent keys are left out, not multiplied by zero. Lanes of absent keys hold -infinity,
 * which changes no maximum, then +0, which changes no sum of exponentials; other sums leave them out. */
#ifndef KERNELS_CPU_SIMD_SQUARE_H
#define KERNELS_CPU_SIMD_SQUARE_H

#include "kernels/cpu/simd/tile.h"

enum { SQUARE = VEC * VEC, GROUPS = CANON_LANES / VEC };

/* s = scale (a . b) for one square: a's rows stand in squares of VEC columns, b is turned: [h][VEC]. */
V_FN void square_dots(float *s, const float *a, const float *b, int h, vec scale) {
    vec t[VEC];
    tile_zero(t, VEC, 1);
    for (; h >= VEC; h -= VEC, a += SQUARE, b += SQUARE) tile_steps(t, VEC, 1, a, VEC, 1, b, VEC);
    tile_chain(t, VEC, 1, a, VEC, 1, b, VEC, h);
    UNROLL for (int i = 0; i < VEC; i++) t[i] = v_mul(t[i], scale);
    tile_store(t, VEC, 1, s, VEC);
}

/* Lanes of absent keys in the diagonal square get -infinity. */
V_FN void square_mask(float *s) {
    for (int i = 0; i < VEC; i++) v_store(s + i * VEC, v_first(v_load(s + i * VEC), v_set(-INFINITY), i + 1));
}

V_FN vec fold_pair(vec a, vec b, const bool most) {
    return most ? v_max(b, a) : v_add(a, b);
}

/* Rule 3 for VEC rows at once: lanes[g][i] holds lanes g VEC.. of row i. Rows become lanes, so that they fold together. */
V_FN void fold_rows(float *out, float *lanes, const bool most) {
    vec x[VEC];
    for (int half = GROUPS / 2; half; half /= 2)
        for (int i = 0; i < half * SQUARE; i += VEC)
            v_store(lanes + i, fold_pair(v_load(lanes + i), v_load(lanes + half * SQUARE + i), most));
    UNROLL for (int l = 0; l < VEC; l += 4) v_load_turned(x + l, lanes + l, VEC);
    UNROLL for (int half = VEC / 2; half; half /= 2)
        UNROLL for (int i = 0; i < half; i++) x[i] = fold_pair(x[i], x[i + half], most);
    v_store(out, x[0]);
}

static void band_max(float *most, const float *s, int band) {
    float lanes[GROUPS * SQUARE];
    for (int g = 0; g < GROUPS; g++) {
        vec lane[VEC];
        UNROLL for (int i = 0; i < VEC; i++) lane[i] = v_set(-INFINITY);
        for (int square = g; square <= band; square += GROUPS)
            UNROLL for (int i = 0; i < VEC; i++) lane[i] = v_max(v_load(s + square * SQUARE + i * VEC), lane[i]);
        tile_store(lane, VEC, 1, lanes + g * SQUARE, VEC);
    }
    fold_rows(most, lanes, true);
}

/* s <- e^(s - most) factor, where factor is 1 (NULL) or each row's; absent keys get +0, without the cost of an underflow. */
V_FN void square_exp(float *s, const float *most, const float *factor, const bool diagonal) {
    for (int i = 0; i < VEC; i += 4, s += 4 * VEC) {
        vec x[4];
        UNROLL for (int r = 0; r < 4; r++) {
            vec shift = v_set(most[i + r]);
            x[r] = v_load(s + r * VEC);
            if (diagonal) x[r] = v_first(x[r], shift, i + r + 1);
            x[r] = v_sub(x[r], shift);
        }
        v_exp4(x);
        UNROLL for (int r = 0; r < 4; r++) {
            if (factor) x[r] = v_mul(x[r], v_set(factor[i + r]));
            v_store(s + r * VEC, diagonal ? v_first(x[r], v_zero(), i + r + 1) : x[r]);
        }
    }
}

/* Row i of s times factor[i]. */
V_FN void square_scale(float *s, const float *factor) {
    UNROLL for (int i = 0; i < VEC; i++) v_store(s + i * VEC, v_mul(v_load(s + i * VEC), v_set(factor[i])));
}

/* lane <- lane + s of one square. */
V_FN void square_sum(float *lane, const float *s) {
    for (int i = 0; i < SQUARE; i += VEC) v_store(lane + i, v_add(v_load(lane + i), v_load(s + i)));
}

/* lane <- fma(p, ds, lane) of one square, present keys only. */
V_FN void square_dot(float *lane, const float *p, const float *ds, const bool diagonal) {
    for (int i = 0; i < VEC; i++) {
        vec old = v_load(lane + i * VEC), sum = v_fma(v_load(p + i * VEC), v_load(ds + i * VEC), old);
        v_store(lane + i * VEC, diagonal ? v_first(sum, old, i + 1) : sum);
    }
}

/* y(query) = sum over keys up to the query of p(query, key) b(key), for a band; b's rows are `wide` apart. */
V_FN void sum_keys(vec y[VEC], const float *p, const float *b, size_t wide) {
    UNROLL for (int j = 0; j < VEC; j++) {
        vec line = v_load(b + (size_t)j * wide);
        UNROLL for (int i = j; i < VEC; i++) y[i] = v_fma(v_set(p[i * VEC + j]), line, y[i]);
    }
}

/* y(key) continued over the queries from the key on: p(query, key) b(query), query < count. */
V_FN void sum_queries(vec y[VEC], const float *p, const float *b, size_t wide, int count) {
    UNROLL for (int i = 0; i < VEC; i++)
        if (i < count) {
            vec line = v_load(b + (size_t)i * wide);
            UNROLL for (int j = 0; j <= i; j++) y[j] = v_fma(v_set(p[i * VEC + j]), line, y[j]);
        }
}

/* Rows that exist of VEC rows, and the first `cols` of VEC columns. */
V_FN void put_rows(float *to, size_t step, const vec y[VEC], int rows, int cols, bool accumulate) {
    bool whole = rows == VEC && cols == VEC;
    UNROLL for (int i = 0; i < VEC; i++) {
        float *line = to + (size_t)i * step;
        if (whole) v_store(line, accumulate ? v_add(v_load(line), y[i]) : y[i]);
        else if (i < rows) v_store_first(line, accumulate ? v_add(v_load_first(line, cols), y[i]) : y[i], cols);
    }
}

#endif
