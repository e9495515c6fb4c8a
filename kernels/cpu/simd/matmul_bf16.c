/* The matmul of precision bf16 (kernels/cpu/simd/bf16.h says what it computes), one source for both instructions and
 * for their twins in software.
 *
 * As in matmul.c, a block of B is packed into panels that stay in the second-level cache, and lines of A into panels
 * that stay in the first; here packing also rounds (kernels/cpu/simd/pack_bf16.h). AMX multiplies faster than a core
 * can read its operands, so memory must be kept busy: where a panel of A's lines is contiguous in memory, it is packed
 * between the steps of the tiles before it; where a column of A is, many panels are packed at once, in memory's order;
 * and the places where later tiles will be stored are prefetched meanwhile. Where k takes several blocks, chains are
 * kept in `partial` between them, stored and reloaded exactly, so no bit depends on the blocks. */
#include "kernels/cpu/matmul.h"
#if defined(BF16_AMX)
#include "kernels/cpu/simd/tile_amx.h"
#else
#include "kernels/cpu/simd/tile_dot.h"
#endif

enum {
    BLOCK_K = 512, /* steps of k and columns of B in a block: half of a second-level cache of 1 MB */
    BLOCK_N = 512,
    BLOCK_K_ACROSS = 256, /* if A's columns are contiguous; then lines of A: less of k, many panels */
    BLOCK_M_ACROSS = 512 / TILE_ROWS * TILE_ROWS,
    PANELS_A = BLOCK_M_ACROSS / TILE_ROWS * (BLOCK_K_ACROSS / 2 * TILE_LINES + PAIRS),
    PANELS_B = BLOCK_N / TILE_COLS * (BLOCK_K / 2 * TILE_COLS + PAIRS),
    TILE = TILE_ROWS * TILE_COLS
};

typedef struct {
    float *c, *partial; /* this tile's corner of C; its unfinished chains */
    size_t ldc;
    const uint32_t *a, *b;
    const float *bias; /* the first column's, or NULL */
    int k, rows, cols; /* rows and columns that exist */
    bool first, last, accumulate;
} Job;

/* End chains: add bias, then old C. */
V_FN void finish(const float *chain, const Job *j, const int cols) {
    for (int r = 0; r < j->rows; r++, chain += TILE_COLS)
        for (int i = 0; i < cols; i++) {
            float sum = chain[i];
            if (j->bias) sum += j->bias[i];
            put(&j->c[(size_t)r * j->ldc + (size_t)i], sum, j->accumulate);
        }
}

static void run(Tile *t, const Job *j, Beside *beside) {
    float chain[TILE];
    bool whole = j->rows == TILE_ROWS && j->cols == TILE_COLS, direct = j->last && whole && !j->bias && !j->accumulate;
    float *to = !j->last ? j->partial : direct ? j->c : chain;
    if (j->last) beside_fetch(beside, j->c + TILE_ROWS * j->ldc, j->ldc, TILE_ROWS, j->k);
    else beside_fetch(beside, j->partial + TILE, TILE_COLS, TILE_ROWS, j->k);
    tile_run(t, to, direct ? j->ldc : TILE_COLS, j->first ? NULL : j->partial, j->a, j->b, j->k, j->rows, j->cols,
             beside);
    if (!j->last || direct) return;
    if (j->cols == TILE_COLS) finish(chain, j, TILE_COLS);
    else finish(chain, j, j->cols);
}

/* Run the tiles of a panel of A. */
static void run_panel(Tile *t, Job j, int n, const uint32_t *panels_b, Beside *beside) {
    for (int col = 0; col < n; col += TILE_COLS, j.partial += TILE, panels_b += panel_words(TILE_COLS, j.k)) {
        Job tile = j;
        tile.cols = least(n - col, TILE_COLS);
        tile.b = panels_b;
        tile.bias = j.bias ? j.bias + col : NULL;
        tile.c = j.c + col;
        run(t, &tile, beside);
    }
}

static Matrix from_row(Matrix a, int row) {
    return (Matrix){a.at + (size_t)row * a.row, a.row, a.col};
}

/* Compute one block of k and of columns; chains go on from `partial`. */
static void block(Tile *t, Job j, Matrix a, Matrix b, int m, int n, uint32_t *panels_a, uint32_t *panels_b) {
    const bool along = a.col == 1;
    const int slots = along ? 2 : BLOCK_M_ACROSS / TILE_ROWS, panel = panel_words(TILE_LINES, j.k);
    const int across = tiles(n, TILE_COLS), every = across * PAIRS / TILE_LINES;
    pack_panels(panels_b, (Matrix){b.at, b.col, b.row}, n, j.k, TILE_COLS, TILE_COLS, false);
    for (int row = 0; row < m; row += TILE_ROWS, j.c += TILE_ROWS * j.ldc, j.partial += across * TILE) {
        const int left = m - row, slot = row / TILE_ROWS % slots;
        Beside beside = {0};
        if (along ? row == 0 : slot == 0)
            pack_panels(panels_a, from_row(a, row), least(left, along ? TILE_ROWS : BLOCK_M_ACROSS), j.k, TILE_ROWS,
                        TILE_LINES, true);
        if (along && left > TILE_ROWS)
            beside = (Beside){.to = panels_a + (1 - slot) * panel, .step = TILE_LINES * PAIRS,
                              .a = from_row(a, row + TILE_ROWS), .next = TILE_ROWS * a.row,
                              .lines = least(left - TILE_ROWS, TILE_LINES), .k = j.k, .every = every, .wait = every};
        j.a = panels_a + slot * panel;
        j.rows = least(left, TILE_ROWS);
        run_panel(t, j, n, panels_b, &beside);
        beside_rest(&beside);
    }
}

void SYMBOL(matmul)(real *c, size_t ldc, Matrix a, Matrix b, int m, int n, int k, const real *bias, OldC old,
                    real *sums, void *scratch) {
    uint32_t *panels_b = (uint32_t *)(((uintptr_t)scratch + 63) / 64 * 64);
    uint32_t *panels_a = panels_b + PANELS_B;
    float *partial = (float *)(void *)(panels_a + PANELS_A);
    const int most = a.col == 1 ? BLOCK_K : BLOCK_K_ACROSS;
    Tile t;
    assert(old != C_continued && "chains of bf16 have other rules");
    assert((a.row == 1 || a.col == 1) && (b.row == 1 || b.col == 1));
    tile_open(&t);
    for (int col = 0; col < n; col += BLOCK_N)
        for (int from = 0; from < k || from == 0; from += most) {
            Job j = {.c = c + col, .partial = partial, .ldc = ldc, .bias = bias ? bias + col : NULL,
                     .k = least(k - from, most), .first = from == 0, .last = from + most >= k,
                     .accumulate = old == C_added};
            Matrix a_part = {a.at + (size_t)from * a.col, a.row, a.col};
            Matrix b_part = {b.at + (size_t)from * b.row + (size_t)col * b.col, b.row, b.col};
            block(&t, j, a_part, b_part, m, least(n - col, BLOCK_N), panels_a, panels_b);
        }
    tile_close(&t);
    if (!sums) return;
    memset(sums, 0, (size_t)m * sizeof(float));
    add_columns(sums, a, m, k);
}

size_t SYMBOL(matmul_scratch)(int m, int n, int k) {
    size_t words = PANELS_B + PANELS_A;
    if (k > BLOCK_K_ACROSS) words += (size_t)tiles(m, TILE_ROWS) * (size_t)tiles(least(n, BLOCK_N), TILE_COLS) * TILE;
    return words * sizeof(uint32_t) + 64;
}
