/* The matmul of precision bf16 (kernels/cpu/simd/bf16.h says what it computes), one source for both instructions and for
 * their twins in software.
 *
 * As in matmul.c, a block of B is packed into panels that stay in the second-level cache, and A into one panel at a time
 * that stays in the first; here packing also rounds. Both are packed in squares of 16 lines by 16 pairs of k: A by lines
 * [line][pair], B by pairs [pair][line], each as the instructions read it. Numbers that follow each other along k in
 * memory arrive by lines, others by pairs; where the wrong one arrives, the square is turned. Where k takes several
 * blocks, chains wait in `partial`, stored and reloaded exactly, so no bit depends on the blocks. */
#include "kernels/cpu/matmul.h"
#if defined(BF16_AMX)
#include "kernels/cpu/simd/tile_amx.h"
#else
#include "kernels/cpu/simd/tile_dot.h"
#endif

enum {
    BLOCK_K = 512, /* steps of k and columns of B in a block: half of a second-level cache of 1 MB */
    BLOCK_N = 512,
    SQUARE = PAIRS * PAIRS,
    PANEL_A = BLOCK_K / STEP * TILE_LINES * PAIRS,
    PANELS_B = BLOCK_N / TILE_COLS * (BLOCK_K / 2 * TILE_COLS + PAIRS),
    TILE = TILE_ROWS * TILE_COLS
};

typedef struct {
    float *c, *partial; /* this tile's corner of C; its waiting chains */
    size_t ldc;
    const uint32_t *a, *b;
    const float *bias; /* of the first column or NULL */
    int k, rows, cols; /* rows and columns that exist */
    bool first, last, accumulate;
} Job;

static int tiles(int lines, int width) {
    return (lines + width - 1) / width;
}

/* A square of `lines` lines and k numbers of each, next to each other along k; padded with +0. */
V_FN void square_of_lines(uint32_t *to, const float *from, size_t line, int lines, int k) {
    const pairs none = p_set(0);
    if (lines >= PAIRS && k >= STEP)
        UNROLL for (int i = 0; i < PAIRS; i++) p_store(to + i * PAIRS, p_along(from + (size_t)i * line, STEP));
    else
        for (int i = 0; i < PAIRS; i++)
            p_store(to + i * PAIRS, i < lines ? p_along(from + (size_t)i * line, k) : none);
}

/* The same of numbers next to each other across lines, pair by pair. */
V_FN void square_of_pairs(uint32_t *to, size_t step, const float *from, size_t along, int lines, int k) {
    const pairs none = p_set(0);
    if (lines >= PAIRS && k >= STEP)
        UNROLL for (int i = 0; i < PAIRS; i++, from += 2 * along)
            p_store(to + (size_t)i * step, p_across(from, from + along, PAIRS));
    else
        for (int i = 0; i < PAIRS; i++, from += 2 * along)
            p_store(to + (size_t)i * step,
                    2 * i < k ? p_across(from, 2 * i + 1 < k ? from + along : NULL, least(lines, PAIRS)) : none);
}

/* One panel of A: TILE_LINES lines. */
static void pack_a(uint32_t *to, Matrix a, int lines, int k) {
    uint32_t turned[SQUARE];
    for (int l = 0; l < k; l += STEP)
        for (int i = 0; i < TILE_LINES; i += PAIRS, to += SQUARE) {
            const float *from = a.at + (size_t)i * a.row + (size_t)l * a.col;
            if (i >= lines) continue; /* no tile reads it */
            if (a.col == 1) square_of_lines(to, from, a.row, lines - i, k - l);
            else {
                square_of_pairs(turned, PAIRS, from, a.col, lines - i, k - l);
                p_turn(to, PAIRS, turned);
            }
        }
}

/* Words between panels of B: an odd number of cache lines, which keeps them out of each other's cache sets. */
static int panel_b(int k) {
    return tiles(k, STEP) * PAIRS * TILE_COLS + PAIRS;
}

/* Panels of B: TILE_COLS columns each. */
static void pack_b(uint32_t *to, Matrix b, int cols, int k) {
    int panel = panel_b(k);
    uint32_t turned[SQUARE];
    for (int l = 0; l < k; l += STEP, to += PAIRS * TILE_COLS)
        for (int j = 0; j < cols; j += PAIRS) {
            uint32_t *square = to + j / TILE_COLS * panel + j % TILE_COLS;
            const float *from = b.at + (size_t)l * b.row + (size_t)j * b.col;
            if (b.col == 1) square_of_pairs(square, TILE_COLS, from, b.row, cols - j, k - l);
            else {
                square_of_lines(turned, from, b.col, cols - j, k - l);
                p_turn(square, TILE_COLS, turned);
            }
        }
}

/* The end of chains: bias, then old C. */
V_FN void finish(const float *chain, const Job *j, const int cols) {
    for (int r = 0; r < j->rows; r++, chain += TILE_COLS)
        for (int i = 0; i < cols; i++) {
            float sum = chain[i];
            if (j->bias) sum += j->bias[i];
            put(&j->c[(size_t)r * j->ldc + (size_t)i], sum, j->accumulate);
        }
}

static void run(Tile *t, const Job *j) {
    float chain[TILE];
    bool whole = j->rows == TILE_ROWS && j->cols == TILE_COLS, direct = j->last && whole && !j->bias && !j->accumulate;
    float *to = !j->last ? j->partial : direct ? j->c : chain;
    tile_run(t, to, direct ? j->ldc : TILE_COLS, j->first ? NULL : j->partial, j->a, j->b, j->k, j->rows, j->cols);
    if (!j->last || direct) return;
    if (j->cols == TILE_COLS) finish(chain, j, TILE_COLS);
    else finish(chain, j, j->cols);
}

/* One block of k and of columns: chains go on from where `partial` has them. */
static void block(Tile *t, Job j, Matrix a, Matrix b, int m, int n, uint32_t *panel_a, uint32_t *panels_b) {
    pack_b(panels_b, b, n, j.k);
    j.a = panel_a;
    for (int row = 0; row < m; row += TILE_ROWS) {
        Matrix part = {a.at + (size_t)row * a.row, a.row, a.col};
        j.rows = least(m - row, TILE_ROWS);
        pack_a(panel_a, part, j.rows, j.k);
        for (int col = 0; col < n; col += TILE_COLS, j.partial += TILE) {
            Job tile = j;
            tile.cols = least(n - col, TILE_COLS);
            tile.b = panels_b + col / TILE_COLS * panel_b(j.k);
            tile.bias = j.bias ? j.bias + col : NULL;
            tile.c = j.c + (size_t)row * j.ldc + (size_t)col;
            run(t, &tile);
        }
    }
}

void SYMBOL(matmul)(real *c, size_t ldc, Matrix a, Matrix b, int m, int n, int k, const real *bias, bool accumulate,
                    real *sums, void *scratch) {
    uint32_t *panels_b = (uint32_t *)(((uintptr_t)scratch + 63) / 64 * 64);
    uint32_t *panel_a = panels_b + PANELS_B;
    float *partial = (float *)(void *)(panel_a + PANEL_A);
    Tile t;
    assert((a.row == 1 || a.col == 1) && (b.row == 1 || b.col == 1));
    tile_open(&t);
    for (int col = 0; col < n; col += BLOCK_N)
        for (int from = 0; from < k || from == 0; from += BLOCK_K) {
            Job j = {.c = c + col, .partial = partial, .ldc = ldc, .bias = bias ? bias + col : NULL,
                     .k = least(k - from, BLOCK_K), .first = from == 0, .last = from + BLOCK_K >= k,
                     .accumulate = accumulate};
            Matrix a_part = {a.at + (size_t)from * a.col, a.row, a.col};
            Matrix b_part = {b.at + (size_t)from * b.row + (size_t)col * b.col, b.row, b.col};
            block(&t, j, a_part, b_part, m, least(n - col, BLOCK_N), panel_a, panels_b);
        }
    tile_close(&t);
    if (!sums) return;
    memset(sums, 0, (size_t)m * sizeof(float));
    add_columns(sums, a, m, k);
}

size_t SYMBOL(matmul_scratch)(int m, int n, int k) {
    size_t words = PANELS_B + PANEL_A;
    if (k > BLOCK_K) words += (size_t)tiles(m, TILE_ROWS) * (size_t)tiles(least(n, BLOCK_N), TILE_COLS) * TILE;
    return words * sizeof(uint32_t) + 64;
}
