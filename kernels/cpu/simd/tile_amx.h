/* The register tile of bf16-amx: 2 x 2 tiles of 16 x 16 chains; 32 steps of k load two tiles of A and two of B and
 * multiply four times. */
#ifndef KERNELS_CPU_SIMD_TILE_AMX_H
#define KERNELS_CPU_SIMD_TILE_AMX_H

#include "kernels/cpu/simd/pack_bf16.h"

enum { TILE_ROWS = 2 * PAIRS, TILE_COLS = 2 * PAIRS, TILE_LINES = TILE_ROWS };

typedef Tiles Tile;
V_FN void tile_open(Tile *t) { t_open(t); }
V_FN void tile_close(Tile *t) { t_close(t); }

V_FN void tile_of(Tile *t, float *to, size_t step, const float *from, const uint32_t *a, const uint32_t *b, int k,
                  const bool tall, const bool wide, Beside *beside) {
    enum { BELOW = PAIRS * TILE_COLS };
    (void)t;
    T_SETTLE(to);
    if (from) {
        T_LOAD(t, 0, from, TILE_COLS);
        if (wide) T_LOAD(t, 1, from + PAIRS, TILE_COLS);
        if (tall) T_LOAD(t, 2, from + BELOW, TILE_COLS);
        if (tall && wide) T_LOAD(t, 3, from + BELOW + PAIRS, TILE_COLS);
    } else {
        T_ZERO(t, 0);
        if (wide) T_ZERO(t, 1);
        if (tall) T_ZERO(t, 2);
        if (tall && wide) T_ZERO(t, 3);
    }
    for (; k > 0; k -= STEP, a += 2 * SQUARE, b += 2 * SQUARE) {
        beside_step(beside);
        T_LOAD(t, 4, a, PAIRS);
        T_LOAD(t, 6, b, PAIRS);
        T_DOT(t, 0, 4, 6);
        if (wide) {
            T_LOAD(t, 7, b + SQUARE, PAIRS);
            T_DOT(t, 1, 4, 7);
        }
        if (tall) {
            T_LOAD(t, 5, a + SQUARE, PAIRS);
            T_DOT(t, 2, 5, 6);
        }
        if (tall && wide) T_DOT(t, 3, 5, 7);
    }
    T_STORE(t, 0, to, step);
    if (wide) T_STORE(t, 1, to + PAIRS, step);
    if (tall) T_STORE(t, 2, to + PAIRS * step, step);
    if (tall && wide) T_STORE(t, 3, to + PAIRS * step + PAIRS, step);
    T_SETTLE(to);
}

/* Run a tile's chains over k, from `from` (rows TILE_COLS apart; NULL: +0) to `to`. A short tile has fewer rows. */
V_FN void tile_run(Tile *t, float *to, size_t step, const float *from, const uint32_t *a, const uint32_t *b, int k,
                   int rows, int cols, Beside *beside) {
    if (rows > PAIRS && cols > PAIRS) tile_of(t, to, step, from, a, b, k, true, true, beside);
    else if (rows > PAIRS) tile_of(t, to, step, from, a, b, k, true, false, beside);
    else if (cols > PAIRS) tile_of(t, to, step, from, a, b, k, false, true, beside);
    else tile_of(t, to, step, from, a, b, k, false, false, beside);
}

#endif
