/* Fast matmul: computes the chains of kernels/cpu/matmul.c many at a time (after Goto and van de Geijn 2008, and BLIS).
 *
 * C is cut into register tiles of TILE_ROWS x TILE_COLS chains; k is never split among chains, so the
 * order inside a chain, and with it every bit, is the readable one. A block of B is packed into panels of TILE_COLS
 * columns that stay in the second-level cache. At the edges of C a tile computes padding, which is not stored.
 *
 * NEAR: A's rows are contiguous (x or dy times weights), and A is read in place, TILE_ROWS rows at once.
 * ACROSS: A's columns are (dW = dy^T x); k is long and C small, so k is cut into blocks, between which chains are
 * kept in `partial` (stored and reloaded exactly; not in C, which may be accumulated into). A panel's first tile reads
 * it in place and packs it for the others; so does the first row of tiles with B.
 *
 * Every tile prefetches parts of the next A and B, C, and unfinished chains; evenly, since a core can have about ten
 * lines pending. Data in the second-level cache is prefetched SOON steps before its use: earlier than hardware does;
 * still earlier would take room in the first-level cache. */
#include "kernels/cpu/matmul.h"
#include "kernels/cpu/simd/pack.h"
#include "kernels/cpu/simd/tile.h"

enum {
    CACHE = 1 << 18,   /* floats in a second-level cache of 1 MB */
    LONG_K = 512,      /* NEAR: steps of k in a block (up to this k no chain has to be kept) */
    DEEP_K = 2048,     /* NEAR, if C is narrow: reading A again costs less than keeping chains */
    FIRST_K = 32,      /* ACROSS: steps of the first block, which is not prefetched; the next has twice as many */
    SHORT_K = 128,     /* ACROSS: most steps of a block */
    WIDTH = 512,       /* ACROSS: columns in a block */
    STEPS = 4,         /* steps of k between fetches */
    EARLY = 4,         /* steps of k by which packing is ahead */
    SOON = 32 / VEC,   /* steps of k by which second-level prefetching is ahead: about 30 cycles */
    ODD = 16           /* floats between panels: puts them in different cache sets, holds the last row's padding */
};
_Static_assert((int)TILE_ROWS <= (int)VEC, "a step of a packed panel of A is one vector");

/* Flags: how a tile reads A, and what it packs. */
enum { ACROSS = 0, NEAR = 1, PACK_A = 2, PACK_B = 4 };

/* Rows of a matrix that tiles prefetch, some lines each: `width` floats of each `step`; continuously if there is little
 * between them, else one row for each tile. */
typedef struct {
    const float *at;
    size_t step, width, done, rows, pace; /* pace: floats from one prefetch to the next */
    bool on;
} Stream;

/* Cache lines to prefetch, `step` floats apart. */
typedef struct {
    const float *at;
    size_t step;
} Lines;

/* The rest of a row of tiles. Advanced in place: reading as a whole what was just written in parts stalls. */
typedef struct {
    float *c, *partial; /* the tile's corner of C; its unfinished chains */
    size_t ldc;
    const float *a, *b, *bias;    /* panels; bias of the first column or NULL */
    /* strides: of A's rows (NEAR) or its steps; of B's steps; of B's panels */
    size_t a_line, b_line, panel;
    float *to_a, *to_b, *sums;    /* destinations of packing; sums of A's rows so far */
    int k, rows, cols;            /* rows that exist; columns left from the tile's first */
    bool first, last, accumulate, continues;
    Stream ahead_a, ahead_b; /* next blocks of A and B to prefetch */
} Job;

static Stream stream(const float *at, size_t row, size_t col, int width, int rows) {
    return (Stream){at, row, (size_t)width, 0, col == 1 ? (size_t)rows : 0, LINE, row <= 2 * (size_t)width};
}

/* Take the next `count` lines to prefetch. */
V_FN Lines take(Stream *s, int count) {
    bool any = s->on ? s->done < s->step * s->rows : s->rows > 0;
    Lines l = {s->at + (any ? s->done : 0), any ? s->pace : 0};
    s->done += (size_t)count * s->pace;
    if (!s->on && any && s->done >= s->width) s->at += s->step, s->done = 0, s->rows--;
    return l;
}

static size_t panels(int lines, int width) {
    return (size_t)((lines + width - 1) / width);
}

/* End a whole tile's chains: add bias, then old C. */
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

/* End the chains of a tile that crosses the edge of C. */
static void finish_edge(const float *chain, const Job *j) {
    for (int r = 0; r < j->rows; r++)
        for (int i = 0; i < least(j->cols, TILE_COLS); i++) {
            float sum = chain[r * TILE_COLS + i];
            if (j->bias) sum += j->bias[i];
            put(&j->c[(size_t)r * j->ldc + (size_t)i], sum, j->accumulate);
        }
}

/* Load old C, from which chains go on; at an edge, the existing numbers and zeros. */
static __attribute__((noinline)) void old_edge(float *chain, const Job *j) {
    memset(chain, 0, TILE_ROWS * TILE_COLS * sizeof(float));
    for (int r = 0; r < j->rows; r++)
        for (int i = 0; i < TILE_COLS && i < j->cols; i++)
            chain[r * TILE_COLS + i] = j->c[(size_t)r * j->ldc + (size_t)i];
}

V_FN void begin(vec t[], const int rows, const int vecs, const Job *j) {
    float chain[TILE_ROWS * TILE_COLS];
    if (!j->continues) tile_zero(t, rows, vecs);
    else if (j->rows >= rows && j->cols >= vecs * VEC) tile_load(t, rows, vecs, j->c, j->ldc);
    else old_edge(chain, j), tile_load(t, rows, vecs, chain, TILE_COLS);
}

/* Position of a tile. Row r of A is at base[r / 5] + (r % 5) line, so that few registers address all rows. */
typedef struct {
    const char *base[3];
    size_t line, three; /* bytes; three lines in a register, since no addressing mode multiplies by three */
    const float *b;
    size_t b_line;
    const char *raw_a; /* source of packing */
    float *to_a, *to_b;
    vec sums;
} Place;

/* Pack a step of A EARLY steps before its use, since it comes from memory. */
V_FN void pack_step(Place *p, const size_t skip) {
    vec rows = v_load((const float *)(const void *)p->raw_a);
    const char *soon = p->raw_a + SOON * p->line;
    PREFETCH(soon), PREFETCH(soon + (TILE_ROWS - 1) * sizeof(float));
    v_store(p->to_a + skip * VEC, rows);
    v_sum(&p->sums, rows);
    p->raw_a += p->line;
}

/* Take one step of k, `skip` steps from p if steps are contiguous: add the outer product of a column of A and a line of
 * B. */
V_FN void step(vec t[], const int rows, const int vecs, const int how, const size_t skip, Place *p) {
    const float *a = (const float *)p->base[0] + (how & NEAR ? 0 : skip * VEC);
    const float *b = p->b + (how & PACK_B ? 0 : skip * TILE_COLS);
    vec line[TILE_VECS];
    UNROLL for (int v = 0; v < vecs; v++) line[v] = v_load(b + v * VEC);
    const float *soon = b + SOON * (how & PACK_B ? p->b_line : TILE_COLS);
    UNROLL for (int i = 0; i < vecs * VEC; i += LINE) PREFETCH(soon + i);
    if (how & PACK_A) pack_step(p, skip);
    if (how & PACK_B) UNROLL for (int v = 0; v < vecs; v++) v_store(p->to_b + skip * TILE_COLS + v * VEC, line[v]);
    UNROLL for (int r = 0; r < rows; r++) {
        size_t at = r % 5 == 3 ? p->three : (size_t)(r % 5) * p->line;
        vec x = v_set(how & NEAR ? ((const float *)(p->base[r / 5] + at))[skip] : a[r]);
        UNROLL for (int v = 0; v < vecs; v++) v_chain(&t[r * vecs + v], x, line[v]);
    }
}

V_FN void steps(vec t[], const int rows, const int vecs, const int how, const int count, Place *p) {
    UNROLL for (int i = 0; i < count; i++) {
        step(t, rows, vecs, how, (size_t)i, p);
        if (how & PACK_B) p->b += p->b_line;
    }
    if (how & NEAR) UNROLL for (int i = 0; i < 3; i++) p->base[i] += (size_t)count * sizeof(float);
    else p->base[0] += (size_t)count * VEC * sizeof(float);
    if (!(how & PACK_B)) p->b += count * TILE_COLS;
    if (how & PACK_A) p->to_a += count * VEC;
    if (how & PACK_B) p->to_b += count * TILE_COLS;
}

V_FN void run_tile(Job *j, const int rows, const int vecs, const int how) {
    vec t[TILE_ROWS * TILE_VECS];
    if (j->first) begin(t, rows, vecs, j);
    else tile_load(t, rows, vecs, j->partial, TILE_COLS);
    const size_t line = j->a_line * sizeof(float);
    const char *a = (const char *)j->a;
    Place p = {{a, a + 5 * line, a + 10 * line}, line, 3 * line, j->b, j->b_line, a, j->to_a, j->to_b, v_zero()};
    int early = how & PACK_A ? least(j->k, EARLY) : 0;
    if (how & PACK_A) {
        p.base[0] = (const char *)j->to_a;
        if (!j->first) p.sums = v_load(j->sums);
        for (int i = 0; i < early; i++) pack_step(&p, 0), p.to_a += VEC;
    }
    if (how & NEAR) __asm__("" : "+r"(p.three));
    Lines ahead_a = take(&j->ahead_a, j->k / STEPS), ahead_b = {0};
    if (!(how & NEAR)) ahead_b = take(&j->ahead_b, j->k / STEPS);
    Lines soon = {j->c, j->ldc}; /* lines that this tile stores into, or that the next one loads */
    if (!j->last) soon = (Lines){j->partial + TILE_ROWS * TILE_COLS, TILE_COLS};
    int left = j->rows, k = j->k - early;
    size_t twin = vecs * VEC > LINE ? LINE : 0, turn = 2 * soon.step;
    if (how & NEAR && twin && k >= 2 * left * STEPS) /* enough time for one line after the other */
        left *= 2, turn = soon.step, soon.step = twin, twin = 0;
    for (; k >= STEPS; k -= STEPS) {
        if (how & NEAR) {
            PREFETCH(ahead_a.at);
            if (left-- > 0) PREFETCH_STORE(soon.at), PREFETCH_STORE(soon.at + twin);
            soon.at += soon.step, soon.step = turn - soon.step;
        } else {
            PREFETCH_FAR(ahead_a.at), PREFETCH_FAR(ahead_b.at), ahead_b.at += ahead_b.step;
            if (left-- > 0) UNROLL for (int i = 0; i < vecs * VEC; i += LINE) PREFETCH_STORE(soon.at + i);
            soon.at += soon.step;
        }
        ahead_a.at += ahead_a.step;
        steps(t, rows, vecs, how, STEPS, &p);
    }
    for (; k > 0; k--) steps(t, rows, vecs, how, 1, &p);
    if (how & PACK_A) v_store(j->sums, p.sums);
    for (; early >= STEPS; early -= STEPS) steps(t, rows, vecs, how & ~PACK_A, STEPS, &p);
    for (; early > 0; early--) steps(t, rows, vecs, how & ~PACK_A, 1, &p);
    if (!j->last) tile_store(t, rows, vecs, j->partial, TILE_COLS);
    else if (j->rows >= rows && j->cols >= vecs * VEC) finish(t, rows, vecs, j);
    else {
        float chain[TILE_ROWS * TILE_COLS];
        tile_store(t, rows, vecs, chain, TILE_COLS);
        finish_edge(chain, j);
    }
}

V_FN void next_tile(Job *j, const int how) {
    j->b += how & PACK_B ? (size_t)TILE_COLS : j->panel;
    j->to_b += how & PACK_B ? j->panel : 0;
    j->c += TILE_COLS, j->cols -= TILE_COLS;
    j->partial += TILE_ROWS * TILE_COLS;
    if (j->bias) j->bias += TILE_COLS;
}

/* Run all tiles of one kind: the first if it packs A, else all wide ones, or a narrow last one. */
V_FN void run_tiles(Job *j, const int rows, const int vecs, const int how) {
    do {
        run_tile(j, rows, vecs, how);
        next_tile(j, how);
    } while (vecs > 1 && !(how & PACK_A) && j->cols > VEC);
}

/* Rows of lower tiles for a short last panel; below 4 rows the fma's latency leaves nothing to gain. One function each:
 * inlined together they cost each other registers. */
enum { MIDDLE = TILE_ROWS < 8 ? TILE_ROWS : 8 };
#define TILE(name, ...) \
    static __attribute__((noinline)) void name(Job *j) { run_tiles(j, __VA_ARGS__); }
#define TILES(how, flags) \
    TILE(how##_low, 4, 1, flags) TILE(how##_middle, MIDDLE, 1, flags) TILE(how##_high, TILE_ROWS, 1, flags) \
    TILE(how##_low_wide, 4, 2, flags) TILE(how##_middle_wide, MIDDLE, 2, flags) TILE(how##_whole, TILE_ROWS, 2, flags)
TILES(near, NEAR)
TILES(across, ACROSS)
TILE(pack_a_whole, TILE_ROWS, 2, PACK_A)
TILE(pack_b_whole, TILE_ROWS, 2, PACK_B)
TILE(pack_both_whole, TILE_ROWS, 2, PACK_A | PACK_B)

/* Run a row of tiles; the first may pack A, and all may pack B. */
static void run(Job *j, int how) {
    static void (*const part[2][3][2])(Job *) = {
        {{across_low, across_low_wide}, {across_middle, across_middle_wide}, {across_high, across_whole}},
        {{near_low, near_low_wide}, {near_middle, near_middle_wide}, {near_high, near_whole}},
    };
    void (*const *kind)(Job *) = part[how & NEAR][(j->rows > 4) + (j->rows > MIDDLE)];
    if (how & PACK_A) (how & PACK_B ? pack_both_whole : pack_a_whole)(j), j->a = j->to_a;
    if (how & PACK_B && j->cols > 0) pack_b_whole(j);
    if (j->cols > VEC) kind[1](j);
    if (j->cols > 0) kind[0](j);
}

/* Copy a block of k of A's rows; zeros for rows that do not exist. */
static void pack_rows(float *to, size_t step, const float *from, size_t line, int lines, int k) {
    for (int r = 0; r < TILE_ROWS; r++, to += step, from += line) {
        if (r < lines) memcpy(to, from, (size_t)k * sizeof(float));
        else memset(to, 0, (size_t)k * sizeof(float));
    }
}

/* Compute one block of k and of columns, NEAR. Tiles prefetch the next panel of A: contiguous memory if it is, else a
 * row each at k's pace. */
static void block_near(Job j, Matrix a, Matrix b, int m, int n, float *panel_a, float *panels_b) {
    Job row = j;
    bool dense = a.row == (size_t)j.k; /* rows far apart use few cache sets, so those are packed */
    row.panel = (size_t)j.k * TILE_COLS + ODD;
    pack(panels_b, row.panel, TILE_COLS, b.at, b.col, b.row, n, j.k);
    for (; m > 0; m -= TILE_ROWS, a.at += TILE_ROWS * a.row, j.c += TILE_ROWS * j.ldc) {
        row.rows = least(m, TILE_ROWS);
        row.ahead_a =
            stream(a.at + TILE_ROWS * a.row, a.row, 1, j.k, m > TILE_ROWS ? least(m - TILE_ROWS, TILE_ROWS) : 0);
        if (!row.ahead_a.on) row.ahead_a.pace = STEPS;
        row.a = a.at, row.a_line = a.row;
        if (!dense || row.rows < TILE_ROWS) {
            row.a = panel_a, row.a_line = (size_t)j.k + ODD;
            pack_rows(panel_a, row.a_line, a.at, a.row, row.rows, j.k);
        }
        row.b = panels_b, row.bias = j.bias, row.c = j.c, row.cols = n;
        run(&row, NEAR);
    }
}

/* Compute one block of k, of rows and of columns, ACROSS; the next block has `next` steps. */
static void block_across(Job j, Matrix a, Matrix b, int m, int n, int next, float *panel_a, float *panels_b) {
    Job row = j;
    row.panel = (size_t)j.k * TILE_COLS + ODD;
    row.ahead_a = stream(a.at + (size_t)j.k * a.col, a.col, a.row, m, next);
    row.ahead_b = stream(b.at + (size_t)j.k * b.row, b.row, b.col, n, next);
    bool pack_b = b.col == 1 && n % TILE_COLS == 0 && m > MIDDLE;
    if (!pack_b) pack(panels_b, row.panel, TILE_COLS, b.at, b.col, b.row, n, j.k);
    row.a_line = a.col, row.b_line = b.row, row.to_a = panel_a;
    for (; m > 0; m -= TILE_ROWS, a.at += TILE_ROWS * a.row, j.c += TILE_ROWS * j.ldc, row.sums += VEC) {
        bool pack_a = a.row == 1 && m >= VEC && n > VEC;
        row.rows = least(m, TILE_ROWS);
        row.a = pack_a ? a.at : panel_a;
        if (!pack_a) {
            pack(panel_a, 0, VEC, a.at, a.row, a.col, row.rows, j.k);
            if (j.first) memset(row.sums, 0, TILE_ROWS * sizeof(float));
            add_columns(row.sums, (Matrix){a.at, a.row, a.col}, row.rows, j.k);
        }
        row.b = pack_b ? b.at : panels_b, row.to_b = panels_b, row.bias = j.bias, row.c = j.c, row.cols = n;
        run(&row, (pack_a ? PACK_A : 0) | (pack_b ? PACK_B : 0));
        pack_b = false;
    }
}

/* Blocks of C and k: n columns, m rows, k steps; and their scratch in floats. ACROSS, the cache holds the unfinished
 * chains, two blocks of A, and two of B with its panels. */
typedef struct {
    int m, n, k;
    size_t a, b, sums, partial;
} Cut;

static Cut cut(bool near, int m, int n, int k) {
    bool deep = n <= WIDTH / 2 && k % 256; /* a long tile's rows must not use few cache sets */
    Cut c = {m, least(n, WIDTH), least(k, deep ? DEEP_K : LONG_K), 0, 0, 0, 0};
    if (near) c.n = least(n, CACHE / 2 / (c.k > LONG_K / 2 ? c.k : LONG_K / 2) / TILE_COLS * TILE_COLS);
    else {
        c.m = least(m, (int)panels(CACHE / 4 / (c.n > 0 ? c.n : 1), TILE_ROWS) * TILE_ROWS);
        int fits = (CACHE / 4 * 3 - c.m * c.n) / (2 * c.m + 3 * c.n + 1) / FIRST_K * FIRST_K;
        c.k = fits < FIRST_K ? FIRST_K : least(fits, SHORT_K);
    }
    c.a = ((size_t)c.k + ODD) * VEC;
    c.b = panels(c.n, TILE_COLS) * ((size_t)c.k * TILE_COLS + ODD);
    c.sums = panels(c.m, TILE_ROWS) * VEC;
    c.partial =
        (near ? c.k : FIRST_K) < k ? panels(c.m, TILE_ROWS) * panels(c.n, TILE_COLS) * TILE_ROWS * TILE_COLS : 0;
    return c;
}

/* Compute one block of rows and of columns of C. */
static void product(Job j, Cut cuts, bool near, Matrix a, Matrix b, int m, int n, int k, float *panel_a,
                    float *panels_b) {
    int from = 0, next = near ? cuts.k : FIRST_K;
    do {
        j.k = least(k - from, next);
        j.first = from == 0;
        j.last = from + j.k >= k;
        Matrix a_part = {a.at + (size_t)from * a.col, a.row, a.col},
               b_part = {b.at + (size_t)from * b.row, b.row, b.col};
        from += j.k;
        next = least(k - from, least(2 * next, cuts.k));
        if (near) block_near(j, a_part, b_part, m, n, panel_a, panels_b);
        else block_across(j, a_part, b_part, m, n, next, panel_a, panels_b);
    } while (from < k);
}

void SYMBOL(matmul)(real *c, size_t ldc, Matrix a, Matrix b, int m, int n, int k, const real *bias, OldC old,
                    real *sums, void *scratch) {
    bool near = a.col == 1;
    Cut cuts = cut(near, m, n, k);
    float *panels_b = (float *)(((uintptr_t)scratch + 63) / 64 * 64), *panel_a = panels_b + cuts.b;
    float *row_sums = panel_a + cuts.a;
    for (int col = 0; col < n; col += cuts.n)
        for (int row = 0; row < m; row += cuts.m) {
            Job j = {.c = c + (size_t)row * ldc + col, .partial = row_sums + cuts.sums, .ldc = ldc,
                     .bias = bias ? bias + col : NULL, .sums = row_sums, .accumulate = old == C_added,
                     .continues = old == C_continued};
            int rows = least(m - row, cuts.m);
            Matrix a_part = {a.at + (size_t)row * a.row, a.row, a.col},
                   b_part = {b.at + (size_t)col * b.col, b.row, b.col};
            product(j, cuts, near, a_part, b_part, rows, least(n - col, cuts.n), k, panel_a, panels_b);
            for (int i = 0; sums && !near && i < rows; i++)
                sums[row + i] = row_sums[i / TILE_ROWS * VEC + i % TILE_ROWS];
        }
    if (sums && (near || n == 0)) {
        memset(sums, 0, (size_t)m * sizeof(float));
        add_columns(sums, a, m, k);
    }
}

/* Return the bytes of scratch. Fewer rows or steps can mean deeper blocks, or chains that are kept, so take the deepest
 * of these, for both kinds. */
size_t SYMBOL(matmul_scratch)(int m, int n, int k) {
    size_t deep = (size_t)(k < SHORT_K ? SHORT_K : least(k, DEEP_K)), width = panels(least(n, WIDTH), TILE_COLS);
    size_t near = cut(true, m, n, k).partial, shallow = cut(true, m, n, k / 256 * 256).partial;
    size_t across = cut(false, m, n, k).partial, partial = near > shallow ? near : shallow;
    size_t b = width * deep * TILE_COLS < CACHE / 2 ? width * deep * TILE_COLS : CACHE / 2;
    size_t words = b + width * ODD + (deep + ODD) * VEC + panels(m, TILE_ROWS) * VEC + 2 * ODD;
    return (words + (partial > across ? partial : across)) * sizeof(float) + 64;
}
