/* The register tile of bf16-dot: up to TILE_ROWS x 2 vectors of chains. Each pair of k loads two vectors of B's pairs
 * and broadcasts a pair of each row of A. */
#ifndef KERNELS_CPU_SIMD_TILE_DOT_H
#define KERNELS_CPU_SIMD_TILE_DOT_H

#include "kernels/cpu/simd/pack_bf16.h"

#if defined(__AVX512BF16__)
enum { TILE_ROWS = 14, TILE_MIDDLE = 8, TILE_LOW = 4 }; /* 14 x 2 + 2 + 1 of 32 registers */
#else
enum { TILE_ROWS = 2, TILE_MIDDLE = 2, TILE_LOW = 1 };
#endif
enum { TILE_LINES = PAIRS, TILE_COLS = 2 * PAIRS }; /* rows of A in a packed step */

typedef struct { char none; } Tile;
V_FN void tile_open(Tile *t) { (void)t; }
V_FN void tile_close(Tile *t) { (void)t; }

V_FN void tile_of(float *to, size_t step, const float *from, const uint32_t *a, const uint32_t *b, int k,
                  const int rows, const int vecs) {
    lanes t[TILE_ROWS * 2];
    UNROLL for (int r = 0; r < rows; r++)
        UNROLL for (int v = 0; v < vecs; v++)
            t[r * vecs + v] = from ? l_load(from + r * TILE_COLS + v * PAIRS) : l_zero();
    for (; k > 0; k -= STEP, a += SQUARE, b += 2 * SQUARE)
        for (int p = 0; p < PAIRS && 2 * p < k; p++) {
            pairs line[2];
            UNROLL for (int v = 0; v < vecs; v++) line[v] = p_load(b + p * PAIRS + v * SQUARE);
            UNROLL for (int r = 0; r < rows; r++) {
                pairs x = p_set(a[r * PAIRS + p]);
                UNROLL for (int v = 0; v < vecs; v++) t[r * vecs + v] = p_dot(t[r * vecs + v], x, line[v]);
            }
        }
    UNROLL for (int r = 0; r < rows; r++)
        UNROLL for (int v = 0; v < vecs; v++) l_store(to + (size_t)r * step + v * PAIRS, t[r * vecs + v]);
}

/* Run a tile's chains over k, from `from` (rows TILE_COLS apart; NULL: +0) to `to`. A short tile has fewer rows. */
V_FN void tile_run(Tile *t, float *to, size_t step, const float *from, const uint32_t *a, const uint32_t *b, int k,
                   int rows, int cols, Beside *beside) {
    (void)t, (void)beside;
    if (cols > PAIRS) {
        if (rows > TILE_MIDDLE) tile_of(to, step, from, a, b, k, TILE_ROWS, 2);
        else if (rows > TILE_LOW) tile_of(to, step, from, a, b, k, TILE_MIDDLE, 2);
        else tile_of(to, step, from, a, b, k, TILE_LOW, 2);
    } else {
        if (rows > TILE_MIDDLE) tile_of(to, step, from, a, b, k, TILE_ROWS, 1);
        else if (rows > TILE_LOW) tile_of(to, step, from, a, b, k, TILE_MIDDLE, 1);
        else tile_of(to, step, from, a, b, k, TILE_LOW, 1);
    }
}

#endif
