/* The register tile that matmul and attention are made of: up to TILE_ROWS x TILE_VECS vectors of fma chains held in
 * registers, to which one step of k adds an outer product,
 *
 *   t(r, j) <- fma(A(r, l), B(l, j), t(r, j))     for l ascending,
 *
 * so that each step loads TILE_VECS vectors of B, broadcasts TILE_ROWS numbers of A and does their product in fmas. The
 * sizes fill the registers: 14 x 2 + 2 + 1 of 32, 6 x 2 + 2 + 1 of 16. A chain that is stored and loaded again is the
 * same chain, so k may be cut anywhere without changing a bit. */
#ifndef KERNELS_CPU_SIMD_TILE_H
#define KERNELS_CPU_SIMD_TILE_H

#include "kernels/cpu/simd/vec.h"

#if defined(__AVX512F__)
enum { TILE_ROWS = 14, TILE_VECS = 2 };
#elif defined(__AVX2__)
enum { TILE_ROWS = 6, TILE_VECS = 2 };
#else
enum { TILE_ROWS = 4, TILE_VECS = 2 };
#endif
enum { TILE_COLS = TILE_VECS * VEC };

V_FN void tile_zero(vec t[], const int rows, const int vecs) {
    UNROLL for (int i = 0; i < rows * vecs; i++) t[i] = v_zero();
}

V_FN void tile_load(vec t[], const int rows, const int vecs, const float *from, size_t step) {
    UNROLL for (int r = 0; r < rows; r++)
        UNROLL for (int v = 0; v < vecs; v++) t[r * vecs + v] = v_load(from + (size_t)r * step + v * VEC);
}

V_FN void tile_store(const vec t[], const int rows, const int vecs, float *to, size_t step) {
    UNROLL for (int r = 0; r < rows; r++)
        UNROLL for (int v = 0; v < vecs; v++) v_store(to + (size_t)r * step + v * VEC, t[r * vecs + v]);
}

/* Take one step of k: add the outer product of a column of A and a line of B. */
V_FN void tile_step(vec t[], const int rows, const int vecs, const float *a, size_t a_row, const float *b) {
    vec line[TILE_VECS];
    UNROLL for (int v = 0; v < vecs; v++) line[v] = v_load(b + v * VEC);
    UNROLL for (int r = 0; r < rows; r++) {
        vec x = v_set(a[(size_t)r * a_row]);
        if (vecs == 1) t[r] = v_fma(x, line[0], t[r]); /* here the fma itself may broadcast */
        else UNROLL for (int v = 0; v < vecs; v++) v_chain(&t[r * vecs + v], x, line[v]);
    }
}

/* Run chains over k; A(r, l) is a[r * a_row + l * a_col], B(l, .) is at b[l * b_row]. */
V_FN void tile_chain(vec t[], const int rows, const int vecs, const float *a, size_t a_row, size_t a_col,
                     const float *b, size_t b_row, int k) {
    for (int l = 0; l < k; l++, a += a_col, b += b_row) tile_step(t, rows, vecs, a, a_row, b);
}

/* Run VEC steps without a loop, for short chains. */
V_FN void tile_steps(vec t[], const int rows, const int vecs, const float *a, size_t a_row, size_t a_col,
                     const float *b, size_t b_row) {
    UNROLL for (int l = 0; l < VEC; l++)
        tile_step(t, rows, vecs, a + (size_t)l * a_col, a_row, b + (size_t)l * b_row);
}

#endif
