/* Parts of attention on squares of VEC keys by VEC queries. A band is the row of squares that VEC queries see, up
 * to the one on the diagonal, or with the mask `full` up to the sequence's last: s[square][key][query]. A vector holds
 * VEC queries of one key, so that rule 3's lanes are whole vectors and fold without a shuffle. Backward takes PAIR
 * bands at once, s[square][key][PAIR][query], where each key's broadcast serves PAIR fmas and the gradients of keys are
 * loaded half as often; forward does not, since its band would leave the first-level cache. Matrices are stored in
 * squares too, [rows][VEC columns].
 *
 * In a band's last square the steps of absent keys are left out, not multiplied by zero. An absent key's score is
 * -infinity, which changes no maximum, and its exponential +0, which changes no sum; other sums leave it out.
 *
 * The code must fit the cache of decoded instructions, since fmas with long addresses are slow to decode: so the parts
 * are functions of their own, each once, and chains are loops of a few steps. Loops over the rows of one square are
 * unrolled, since the branch at the end of a short loop is often mispredicted. */
#ifndef KERNELS_CPU_SIMD_SQUARE_H
#define KERNELS_CPU_SIMD_SQUARE_H

#include "kernels/cpu/simd/exp.h"
#include "kernels/cpu/simd/pack.h"
#include "kernels/cpu/simd/tile.h"

/* STEPS: steps of a chain without a branch. */
enum { PAIR = VEC == 16 ? 2 : 1, WIDE_ROW = PAIR * VEC, SQUARE = VEC * VEC, BLOCK = PAIR * SQUARE };
enum { GROUPS = CANON_LANES / VEC, SLICE = VEC / 2, STEPS = VEC == 8 ? 8 : 4 };
#define SQUARE_FN static __attribute__((noinline, unused))

/* Rows to prefetch of x and y, and of dx unless NULL: a few cache lines at a time between pieces of work, since only
 * about a dozen loads can be pending; not into the first-level cache, which the present head fills. The three lines of
 * x are `gap` apart, and `along` times as far from the row's start as y's. */
typedef struct {
    const float *x, *y, *dx;
    size_t x_step, y_step, gap, along, col, width;
    int units, slots, due; /* `units` groups of lines are spread over `slots` calls */
} Ahead;

V_FN void fetch(Ahead *a) {
    for (a->due += a->units; a->due > 0; a->due -= a->slots) {
        const float *x = a->x + a->col * a->along, *dx = a->dx ? a->dx + a->col * a->along : NULL;
        PREFETCH_FAR(x), PREFETCH_FAR(x + a->gap), PREFETCH_FAR(x + 2 * a->gap), PREFETCH_FAR(a->y + a->col);
        if (dx) PREFETCH_FAR(dx), PREFETCH_FAR(dx + a->gap), PREFETCH_FAR(dx + 2 * a->gap);
        a->col += 16;
        if (a->col < a->width) continue;
        a->col = 0, a->x += a->x_step, a->y += a->y_step;
        if (dx) a->dx += a->x_step;
    }
}

/* t(r, v) <- fma(a(r, l), b(l, v), t(r, v)) for l = 0..k-1 */
V_FN void square_chain(vec t[], const int rows, const int vecs, const float *a, int a_row, const float *b, int b_row,
                       int k) {
    for (; k >= STEPS; k -= STEPS, a += STEPS, b += STEPS * b_row)
        UNROLL for (int i = 0; i < STEPS; i++) tile_step(t, rows, vecs, a + i, (size_t)a_row, b + i * b_row);
    for (; k; k--, a++, b += b_row) tile_step(t, rows, vecs, a, (size_t)a_row, b);
}

/* Compute s(key, query) = scale (a(key) . b(query)) for `rows` keys and `vecs` vectors of queries: a in squares of VEC
 * columns, b transposed. */
V_FN void tile_dots(float *s, size_t s_row, const int rows, const int vecs, const float *a, const float *b, int h,
                    float scale, Ahead *next) {
    vec t[VEC];
    tile_zero(t, rows, vecs);
    for (int k = h; k > 0; k -= VEC, a += SQUARE, b += BLOCK) {
        if (PAIR > 1 || k == h) fetch(next); /* small squares take little time */
        square_chain(t, rows, vecs, a, VEC, b, WIDE_ROW, least(k, VEC));
    }
    UNROLL for (int i = 0; i < rows * vecs; i++) t[i] = v_mul(t[i], v_set(scale));
    tile_store(t, rows, vecs, s, s_row);
}

SQUARE_FN void square_dots(float *s, size_t s_row, const float *a, const float *b, int h, float scale, Ahead *next) {
    tile_dots(s, s_row, VEC, 1, a, b, h, scale, next);
}

/* Compute a square's scores for PAIR vectors of queries, in PAIR parts, to fill the registers. */
SQUARE_FN void pair_dots(float *s, const float *a, const float *b, int h, float scale, Ahead *next) {
    for (int part = 0; part < PAIR; part++, s += BLOCK / PAIR, a += SQUARE / PAIR)
        tile_dots(s, WIDE_ROW, VEC / PAIR, PAIR, a, b, h, scale, next);
}

/* Continue the chains y(key) over `count` queries: add a(key, query) b(query). */
SQUARE_FN void square_spread(float *y, const float *a, const float *b, int count, Ahead *next) {
    vec t[VEC];
    if (PAIR > 1) fetch(next);
    tile_load(t, VEC, 1, y, VEC);
    for (int v = 0; v < PAIR && count > 0; v++, count -= VEC, a += VEC, b += SQUARE)
        square_chain(t, VEC, 1, a, WIDE_ROW, b, VEC, least(count, VEC));
    tile_store(t, VEC, 1, y, VEC);
}

/* Begin the chains y(key) on the diagonal, with queries from the key on. */
SQUARE_FN void diagonal_spread(float *y, const float *a, const float *b, int count) {
    vec t[VEC];
    tile_zero(t, VEC, 1);
    UNROLL for (int i = 0; i < VEC; i++)
        if (i < count) {
            vec line = v_load(b + i * VEC);
            UNROLL for (int j = 0; j <= i; j++) t[j] = v_fma(v_set(a[j * WIDE_ROW + i]), line, t[j]);
        }
    tile_store(t, VEC, 1, y, VEC);
}

/* Queries of a square see all its keys, keys up to themselves, or the first `keys`. */
typedef enum { WHOLE, DIAGONAL, SHORT } Form;

/* Return how many queries, from the first on, do not see key j. */
V_FN int absent_to(const Form form, int j, int keys) {
    return form == DIAGONAL ? j : form == SHORT && j >= keys ? VEC : 0;
}

/* Compute y(query) = sum over the keys it sees of p(key, query) b(key); b's squares are `step` apart. With `scaled`, p
 * is first multiplied by its query's factor, one square ahead of the chains, which leave the units time for it. */
V_FN void band_chain(float *y, size_t y_row, float *p, int p_row, const float *b, size_t step, int band,
                     const bool diagonal, int keys, vec factor, const bool scaled) {
    vec t[VEC];
    tile_zero(t, VEC, 1);
    for (int j = 0; scaled && j < VEC * p_row; j += p_row) v_store(p + j, v_mul(v_load(p + j), factor));
    for (; band; band--, b += step - SQUARE)
        for (int j = 0; j < VEC; j += STEPS, p += STEPS * p_row, b += STEPS * VEC)
            UNROLL for (int i = 0; i < STEPS; i++) {
                float *ahead = p + (VEC + i) * p_row;
                if (scaled) v_store(ahead, v_mul(v_load(ahead), factor));
                tile_step(t, VEC, 1, p + i * p_row, 1, b + i * VEC);
            }
    for (; !diagonal && keys; keys--, p += p_row, b += VEC) tile_step(t, VEC, 1, p, 1, b);
    UNROLL for (int j = 0; diagonal && j < VEC; j++, p += p_row) {
        vec line = v_load(b + j * VEC);
        UNROLL for (int i = j; i < VEC; i++) t[i] = v_fma(v_set(p[i]), line, t[i]);
    }
    tile_store(t, VEC, 1, y, y_row);
}

SQUARE_FN void band_sum(float *y, size_t y_row, float *p, int p_row, const float *b, size_t step, int band) {
    band_chain(y, y_row, p, p_row, b, step, band, true, 0, v_zero(), false);
}

SQUARE_FN void band_scale_sum(float *y, size_t y_row, float *p, int p_row, const float *b, size_t step, int band,
                              vec factor) {
    band_chain(y, y_row, p, p_row, b, step, band, true, 0, factor, true);
}

/* Compute band_chain's sums where all queries see `keys` keys of the last square. */
SQUARE_FN void full_sum(float *y, size_t y_row, float *p, int p_row, const float *b, size_t step, int last, int keys) {
    band_chain(y, y_row, p, p_row, b, step, last, false, keys, v_zero(), false);
}

SQUARE_FN void full_scale_sum(float *y, size_t y_row, float *p, int p_row, const float *b, size_t step, int last,
                              int keys, vec factor) {
    band_chain(y, y_row, p, p_row, b, step, last, false, keys, factor, true);
}

/* Fold `count` lanes down to `end` by rule 3's tree. */
V_FN vec fold_tree(vec x[], const int count, const int end, const bool most) {
    UNROLL for (int half = count / 2; half >= end; half /= 2)
        UNROLL for (int i = 0; i < half; i++) x[i] = most ? v_max(x[i + half], x[i]) : v_add(x[i], x[i + half]);
    return x[0];
}

/* Sum lanes[lane][query] over lanes, for VEC queries at once. */
V_FN vec fold_lanes(const float *lanes) {
    vec x[CANON_LANES / 2];
    UNROLL for (int i = 0; i < CANON_LANES / 2; i++)
        x[i] = v_add(v_load(lanes + i * VEC), v_load(lanes + (i + CANON_LANES / 2) * VEC));
    return fold_tree(x, CANON_LANES / 2, 1, false);
}

/* Reduce over a band's keys by rule 3, for each query: its largest s, or the sum. Take a SLICE of every group of lanes
 * at a time, which fits in registers. */
V_FN vec band_fold(const float *s, int band, const bool most) {
    vec x[VEC];
    UNROLL for (int i = 0; i < VEC; i += SLICE) {
        vec lane[GROUPS * SLICE];
        UNROLL for (int l = 0; l < GROUPS * SLICE; l++) lane[l] = v_set(most ? -INFINITY : 0);
        for (int square = 0; square <= band; square += GROUPS)
            UNROLL for (int g = 0; g < GROUPS; g++) {
                if (square + g > band) break;
                UNROLL for (int r = 0; r < SLICE; r++) {
                    vec *to = &lane[g * SLICE + r], from = v_load(s + (square + g) * SQUARE + (i + r) * VEC);
                    *to = most ? v_max(from, *to) : v_add(*to, from);
                }
            }
        fold_tree(lane, GROUPS * SLICE, SLICE, most);
        UNROLL for (int r = 0; r < SLICE; r++) x[i + r] = lane[r];
    }
    return fold_tree(x, VEC, 1, most);
}

/* Set absent keys to -infinity; return each query's largest score. */
SQUARE_FN vec band_max(float *s, int band) {
    float *diagonal = s + band * SQUARE;
    UNROLL for (int j = 1; j < VEC; j++)
        v_store(diagonal + j * VEC, v_first(v_set(-INFINITY), v_load(diagonal + j * VEC), j));
    return band_fold(s, band, true);
}

SQUARE_FN vec full_max(float *s, int last, int keys) {
    for (int j = keys; j < VEC; j++) v_store(s + last * SQUARE + j * VEC, v_set(-INFINITY));
    return band_fold(s, last, true);
}

/* Return 1 / each query's sum. */
SQUARE_FN vec band_inverse(const float *s, int band) {
    float sum[VEC];
    v_store(sum, band_fold(s, band, false));
    for (int i = 0; i < VEC; i++) sum[i] = 1 / sum[i];
    return v_load(sum);
}

/* Compute e^(s - most) of EXPS keys from key j on; absent keys use 0 for s - most, to avoid the cost of underflow. */
V_FN void keys_exp(vec x[EXPS], const float *s, const int row, vec most, int j, const Form form, int keys) {
    UNROLL for (int r = 0; r < EXPS; r++) {
        x[r] = v_load(s + (j + r) * row);
        if (form) x[r] = v_first(most, x[r], absent_to(form, j + r, keys));
        x[r] = v_sub(x[r], most);
    }
    v_exp_below(x);
}

/* s <- e^(s - most); absent keys get +0. */
V_FN void square_exp(float *s, vec most, const Form form, int keys) {
    for (int j = 0; j < VEC; j += EXPS) {
        vec x[EXPS];
        keys_exp(x, s, VEC, most, j, form, keys);
        UNROLL for (int r = 0; r < EXPS; r++) {
            if (form) x[r] = v_first(v_zero(), x[r], absent_to(form, j + r, keys));
            v_store(s + (j + r) * VEC, x[r]);
        }
    }
}

/* p <- e^(p - most) inverse, lane <- fma(p, ds, lane), present keys only. */
V_FN void square_gradient(float *p, const float *ds, float *lane, vec most, vec inverse, const Form form, int keys) {
    for (int j = 0; j < VEC; j += EXPS) {
        vec x[EXPS];
        keys_exp(x, p, WIDE_ROW, most, j, form, keys);
        UNROLL for (int r = 0; r < EXPS; r++) {
            int at_key = (j + r) * WIDE_ROW, at_lane = (j + r) * VEC;
            vec old = v_load(lane + at_lane), y = v_mul(x[r], inverse), sum = v_fma(y, v_load(ds + at_key), old);
            v_store(p + at_key, y);
            v_store(lane + at_lane, form ? v_first(old, sum, absent_to(form, j + r, keys)) : sum);
        }
    }
}

/* Apply square_exp to a sequence's last square if it is not whole. */
SQUARE_FN void short_exp(float *s, vec most, int keys) {
    square_exp(s, most, SHORT, keys);
}

SQUARE_FN void short_gradient(float *p, const float *ds, float *lane, vec most, vec inverse, int keys) {
    square_gradient(p, ds, lane, most, inverse, SHORT, keys);
}

/* ds <- p (ds - dot) scale */
V_FN void square_center(float *ds, const float *p, vec dot, vec scale) {
    UNROLL for (int i = 0; i < BLOCK; i += WIDE_ROW)
        v_store(ds + i, v_mul(v_mul(v_load(p + i), v_sub(v_load(ds + i), dot)), scale));
}

/* Store the existing rows of VEC rows, and the first `cols` of VEC columns. */
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
