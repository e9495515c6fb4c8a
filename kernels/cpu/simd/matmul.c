/* The fast matmul: the chains of kernels/cpu/matmul.c, many at a time (after Goto and van de Geijn 2008, and BLIS).
 *
 * C is cut into register tiles of TILE_ROWS x TILE_COLS chains, which lie across rows and columns, never along k: so the
 * order inside a chain, and with it every bit, is the readable one. For each block of k, a block of B is packed into
 * panels of TILE_COLS columns that stay in the second-level cache, and A into one panel of TILE_ROWS rows at a time that
 * stays in the first. Where k takes several blocks, chains wait in `partial` (stored and reloaded exactly; never in C,
 * which may be accumulated into). At the edges of C a tile computes padding, which is not stored. */
#include "kernels/cpu/matmul.h"
#include "kernels/cpu/simd/pack.h"
#include "kernels/cpu/simd/tile.h"

enum {
    BLOCK = 512 * 256,  /* words of B in a block: half of a second-level cache of 1 MB */
    LONG_K = 512,       /* steps of k in a block when A is contiguous in k (no chain of such a width waits) */
    SHORT_K = 256,      /* and when it is not (fewer cache lines between two passes over A) */
    SEGMENT = 16,       /* steps of k between fetches ahead */
    FETCH = 4,          /* cache lines per fetch */
    ODD = 16            /* words between panels: keeps them out of each other's cache sets, takes a last row's padding */
};

typedef struct {
    float *c, *partial;        /* this tile's corner of C; its waiting chains */
    size_t ldc;
    const float *a, *b, *bias; /* packed panels; bias of the first column or NULL */
    int k, rows, cols;         /* rows and columns that exist */
    bool first, last, accumulate;
    const float *ahead; /* FETCH cache lines of the next panel of A per SEGMENT steps of k, before packing */
    size_t ahead_line, ahead_along;
} Job;

static size_t panels(int lines, int width) {
    return (size_t)((lines + width - 1) / width);
}

/* The end of a whole tile's chains: bias, then old C. */
V_FN void finish(vec t[], const int rows, const int vecs, const Job *j) {
    UNROLL for (int v = 0; v < vecs; v++) {
        if (j->bias) {
            vec bias = v_load(j->bias + v * VEC);
            UNROLL for (int r = 0; r < rows; r++) t[r * vecs + v] = v_add(t[r * vecs + v], bias);
        }
        if (j->accumulate)
            UNROLL for (int r = 0; r < rows; r++)
                t[r * vecs + v] = v_add(v_load(j->c + (size_t)r * j->ldc + v * VEC), t[r * vecs + v]);
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
    vec t[TILE_ROWS * TILE_VECS];
    if (j->first) tile_zero(t, rows, vecs);
    else tile_load(t, rows, vecs, j->partial, TILE_COLS);
    const float *a = j->a, *b = j->b, *ahead = j->ahead;
    float *c = j->c;
    int left = j->last ? j->rows : 0; /* rows of C on their way, so that the stores find them */
    for (int l = 0; l < j->k; l += SEGMENT) {
        UNROLL for (int i = 0; i < FETCH; i++) PREFETCH(ahead + (size_t)i * j->ahead_line);
        UNROLL for (int i = 0; i < 2; i++, c += j->ldc)
            if (left-- > 0)
                UNROLL for (int v = 0; v < vecs; v++) PREFETCH_STORE(c + v * VEC);
        int steps = least(j->k - l, SEGMENT);
        tile_chain(t, rows, vecs, a, 1, TILE_ROWS, b, TILE_COLS, steps);
        a += SEGMENT * TILE_ROWS;
        b += SEGMENT * TILE_COLS;
        ahead += j->ahead_along;
    }
    if (!j->last) tile_store(t, rows, vecs, j->partial, TILE_COLS);
    else if (j->rows >= rows && j->cols >= vecs * VEC) finish(t, rows, vecs, j);
    else {
        float chain[TILE_ROWS * TILE_COLS];
        tile_store(t, rows, vecs, chain, TILE_COLS);
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

/* Which lines of the next panel of A tile number `tile` fetches: rows when k is contiguous; otherwise steps of k, at the
 * panel's last row, since the first shares its line with this panel. */
static void aim(Job *j, Matrix a, int rows_left, int tile) {
    bool near = a.col == 1;
    int rows = least(rows_left - TILE_ROWS, TILE_ROWS), lines = near ? rows : SEGMENT, line = tile * FETCH;
    j->ahead = a.at, j->ahead_line = j->ahead_along = 0;
    if (rows <= 0 || line >= lines) return;
    j->ahead_line = near ? a.row : a.col;
    j->ahead_along = SEGMENT * a.col;
    j->ahead = a.at + (size_t)(near ? TILE_ROWS : TILE_ROWS + rows - 1) * a.row + (size_t)line * j->ahead_line;
}

/* One block of k and of columns: chains go on from where `partial` has them. */
static void block(Job j, Matrix a, Matrix b, int m, int n, float *panel_a, float *panels_b) {
    size_t panel = (size_t)j.k * TILE_COLS + ODD;
    pack(panels_b, panel, TILE_COLS, b.at, b.col, b.row, n, j.k);
    j.a = panel_a;
    for (int row = 0; row < m; row += TILE_ROWS) {
        Matrix part = {a.at + (size_t)row * a.row, a.row, a.col};
        j.rows = least(m - row, TILE_ROWS);
        if (a.row == 1) pack(panel_a, 0, TILE_ROWS, part.at, a.row, a.col, j.rows, j.k);
        else pack_along(panel_a, TILE_ROWS, part.at, a.row, a.col, m - row, j.k);
        for (int tile = 0; tile * TILE_COLS < n; tile++) {
            Job t = j;
            int col = tile * TILE_COLS;
            aim(&t, part, m - row, tile);
            t.cols = least(n - col, TILE_COLS);
            t.b = panels_b + (size_t)tile * panel;
            t.bias = j.bias ? j.bias + col : NULL;
            t.c = j.c + (size_t)row * j.ldc + (size_t)col;
            run(&t);
            j.partial += TILE_ROWS * TILE_COLS;
        }
    }
}

void SYMBOL(matmul)(real *c, size_t ldc, Matrix a, Matrix b, int m, int n, int k, const real *bias, bool accumulate,
                    void *scratch) {
    float *panels_b = (float *)(((uintptr_t)scratch + 63) / 64 * 64);
    float *panel_a = panels_b + BLOCK + panels(BLOCK / SHORT_K, TILE_COLS) * ODD;
    float *partial = panel_a + LONG_K * TILE_ROWS + ODD;
    int block_k = a.col == 1 ? LONG_K : SHORT_K, block_n = BLOCK / block_k;
    for (int col = 0; col < n; col += block_n)
        for (int from = 0; from < k || from == 0; from += block_k) {
            Job j = {.c = c + col, .partial = partial, .ldc = ldc, .bias = bias ? bias + col : NULL,
                     .k = least(k - from, block_k), .first = from == 0, .last = from + block_k >= k,
                     .accumulate = accumulate};
            Matrix a_part = {a.at + (size_t)from * a.col, a.row, a.col};
            Matrix b_part = {b.at + (size_t)from * b.row + (size_t)col * b.col, b.row, b.col};
            block(j, a_part, b_part, m, least(n - col, block_n), panel_a, panels_b);
        }
}

size_t SYMBOL(matmul_scratch)(int m, int n, int k) {
    size_t words = BLOCK + panels(BLOCK / SHORT_K, TILE_COLS) * ODD + LONG_K * TILE_ROWS + ODD;
    if (k > SHORT_K)
        words += panels(m, TILE_ROWS) * panels(least(n, BLOCK / SHORT_K), TILE_COLS) * TILE_ROWS * TILE_COLS;
    return words * sizeof(float) + 64;
}
