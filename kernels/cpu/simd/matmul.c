/* The fast matmul: the chains of kernels/cpu/matmul.c, many at a time (after Goto and van de Geijn 2008, and BLIS).
 *
 * C is cut into register tiles of TILE_ROWS x TILE_COLS chains, which lie across rows and columns, never along k: so the
 * order inside a chain, and with it every bit, is the readable one. For each block of k, a block of B is packed into
 * panels of TILE_COLS columns that stay in the second-level cache, and A into one panel of TILE_ROWS rows at a time that
 * stays in the first. Where k takes several blocks, chains wait in `partial` (stored and reloaded exactly; never in C,
 * which may be accumulated into). At the edges of C a tile computes padding, which is not stored. */
#include "kernels/cpu/matmul.h"
#include "kernels/cpu/simd/tile.h"

#ifndef BK
#define BK 256
#define BN 512
#endif
enum { BLOCK_K = BK, BLOCK_N = BN, SEGMENT = 16, FETCH = 4, PANEL_A = BLOCK_K * TILE_ROWS + VEC, ALIGN = 64 };

typedef struct {
    float *c, *partial;        /* this tile's corner of C; its waiting chains */
    size_t ldc;
    const float *a, *b, *bias; /* packed panels; bias of the first column or NULL */
    int k, rows, cols;         /* rows and columns that exist */
    bool first, last, accumulate;
    const float *ahead; /* FETCH cache lines of the next panel of A per SEGMENT steps of k, before packing */
    size_t ahead_line, ahead_along;
} Job;

static size_t up(size_t n, size_t unit) {
    return (n + unit - 1) / unit * unit;
}

static int least(int a, int b) {
    return a < b ? a : b;
}

/* to[l * step + i] = from[i * line + l * along] for i < lines <= VEC, l < k; writes padding up to VEC words per l, in
 * ascending l. Lines along k are transposed in registers, four steps of k at a time. */
static void pack(float *to, int step, const float *from, size_t line, size_t along, int lines, int k) {
    int l = 0;
    if (along == 1) {
        const float *at_line[VEC];
        for (int i = 0; i < VEC; i++) at_line[i] = from + (size_t)least(i, lines - 1) * line;
        for (; l + 4 <= k; l += 4) {
            vec x[4];
            UNROLL for (int i = 0; i < 4; i++) x[i] = v_load_quads(at_line + i, (size_t)l);
            v_transpose_quads(x);
            UNROLL for (int i = 0; i < 4; i++) v_store(to + (l + i) * step, x[i]);
        }
    } else if (line == 1)
        for (; l < k; l++) v_store(to + l * step, v_load_first(from + (size_t)l * along, lines));
    for (; l < k; l++) {
        v_store(to + l * step, v_zero());
        for (int i = 0; i < lines; i++) to[l * step + i] = from[(size_t)i * line + (size_t)l * along];
    }
}

/* The end of a whole tile's chains: bias, then old C. */
V_FN void finish(Tile *t, const int rows, const int vecs, const Job *j) {
    UNROLL for (int v = 0; v < vecs; v++) {
        if (j->bias) {
            vec bias = v_load(j->bias + v * VEC);
            UNROLL for (int r = 0; r < rows; r++) t->at[r][v] = v_add(t->at[r][v], bias);
        }
        if (j->accumulate)
            UNROLL for (int r = 0; r < rows; r++)
                t->at[r][v] = v_add(v_load(j->c + (size_t)r * j->ldc + v * VEC), t->at[r][v]);
    }
    tile_store(t, rows, vecs, j->c, j->ldc);
}

/* The same for a tile that hangs over the edge of C. */
static void finish_edge(const float *chain, const Job *j) {
    for (int r = 0; r < j->rows; r++)
        for (int i = 0; i < j->cols; i++) {
            float sum = chain[r * TILE_COLS + i];
            if (j->bias) sum += j->bias[i];
            put(&j->c[(size_t)r * j->ldc + (size_t)i], sum, j->accumulate);
        }
}

V_FN void run_tile(const Job *j, const int rows, const int vecs) {
    Tile t;
    if (j->first) tile_zero(&t, rows, vecs);
    else tile_load(&t, rows, vecs, j->partial, TILE_COLS);
    const float *a = j->a, *b = j->b, *ahead = j->ahead;
    for (int l = 0; l < j->k; l += SEGMENT) {
        UNROLL for (int i = 0; i < FETCH; i++) PREFETCH(ahead + (size_t)i * j->ahead_line);
        int steps = least(j->k - l, SEGMENT);
        tile_chain(&t, rows, vecs, a, 1, TILE_ROWS, b, (size_t)vecs * VEC, steps);
        a += SEGMENT * TILE_ROWS;
        b += SEGMENT * vecs * VEC;
        ahead += j->ahead_along;
    }
    if (!j->last) tile_store(&t, rows, vecs, j->partial, TILE_COLS);
    else if (j->rows >= rows && j->cols >= vecs * VEC) finish(&t, rows, vecs, j);
    else {
        float chain[TILE_ROWS * TILE_COLS];
        tile_store(&t, rows, vecs, chain, TILE_COLS);
        finish_edge(chain, j);
    }
}

/* A short last panel takes a lower tile; below 4 rows the latency of the fma leaves nothing to win. */
static void run(const Job *j) {
    enum { MIDDLE = TILE_ROWS < 8 ? TILE_ROWS : 8 };
    if (j->cols > VEC) {
        if (j->rows > MIDDLE) run_tile(j, TILE_ROWS, 2);
        else if (j->rows > 4) run_tile(j, MIDDLE, 2);
        else run_tile(j, 4, 2);
    } else {
        if (j->rows > MIDDLE) run_tile(j, TILE_ROWS, 1);
        else if (j->rows > 4) run_tile(j, MIDDLE, 1);
        else run_tile(j, 4, 1);
    }
}

/* Which lines of the next panel of A the tile number `tile` fetches: rows when k is contiguous; otherwise steps of k, at
 * the panel's last row, since the first shares its line with this panel. */
static void aim(Job *j, Matrix a, int rows_left, int tile) {
    bool near = a.col == 1;
    int rows = least(rows_left - TILE_ROWS, TILE_ROWS), lines = near ? rows : SEGMENT, line = tile * FETCH;
    j->ahead = a.at, j->ahead_line = j->ahead_along = 0;
    if (rows <= 0 || line >= lines) return;
    j->ahead_line = near ? a.row : a.col;
    j->ahead_along = SEGMENT * a.col;
    j->ahead = a.at + (size_t)(near ? TILE_ROWS : TILE_ROWS + rows - 1) * a.row + (size_t)line * j->ahead_line;
}

/* One block of k and of columns. */
static void block(Job j, Matrix a, Matrix b, int m, int n, float *panel_a, float *panels_b) {
    for (int col = 0; col < n; col += TILE_COLS) {
        int cols = least(n - col, TILE_COLS), vecs = (cols + VEC - 1) / VEC;
        for (int v = 0; v < vecs; v++)
            pack(panels_b + (size_t)col * (size_t)j.k + v * VEC, vecs * VEC, b.at + (size_t)(col + v * VEC) * b.col, b.col,
                 b.row, least(cols - v * VEC, VEC), j.k);
    }
    Job tile = j;
    tile.a = panel_a;
    for (int row = 0; row < m; row += TILE_ROWS) {
        Matrix part = {a.at + (size_t)row * a.row, a.row, a.col};
        tile.rows = least(m - row, TILE_ROWS);
        pack(panel_a, TILE_ROWS, part.at, a.row, a.col, tile.rows, j.k);
        for (int col = 0; col < n; col += TILE_COLS) {
            aim(&tile, part, m - row, col / TILE_COLS);
            tile.cols = least(n - col, TILE_COLS);
            tile.b = panels_b + (size_t)col * (size_t)j.k;
            tile.bias = j.bias ? j.bias + col : NULL;
            tile.c = j.c + (size_t)row * j.ldc + (size_t)col;
            run(&tile);
            tile.partial += TILE_ROWS * TILE_COLS;
        }
    }
}

void SYMBOL(matmul)(real *c, size_t ldc, Matrix a, Matrix b, int m, int n, int k, const real *bias, bool accumulate,
                    void *scratch) {
    float *panel_a = (float *)up((size_t)scratch, ALIGN);
    float *panels_b = panel_a + up(PANEL_A, ALIGN), *partial = panels_b + (size_t)BLOCK_K * (BLOCK_N + VEC);
    for (int col = 0; col < n; col += BLOCK_N)
        for (int from = 0; from < k || from == 0; from += BLOCK_K) {
            Job j = {.c = c + col, .partial = partial, .ldc = ldc, .bias = bias ? bias + col : NULL,
                     .k = least(k - from, BLOCK_K), .first = from == 0, .last = from + BLOCK_K >= k,
                     .accumulate = accumulate};
            Matrix a_part = {a.at + (size_t)from * a.col, a.row, a.col};
            Matrix b_part = {b.at + (size_t)from * b.row + (size_t)col * b.col, b.row, b.col};
            block(j, a_part, b_part, m, least(n - col, BLOCK_N), panel_a, panels_b);
        }
}

size_t SYMBOL(matmul_scratch)(int m, int n, int k) {
    size_t partial = k > BLOCK_K ? up((size_t)m, TILE_ROWS) * BLOCK_N : 0;
    (void)n;
    return (up(PANEL_A, ALIGN) + (size_t)BLOCK_K * (BLOCK_N + VEC) + partial) * sizeof(float) + ALIGN;
}
