/* The one exact matrix product of the CUDA backend.
 *
 *   C(i, j)  =  [C(i, j) +]  ( sum over k of A(i, k) B(k, j)  [+ bias(j)] )
 *
 * Each output is one fma chain over ascending k from +0 in one register of one thread, then one add of the bias, then
 * one add of the old C when it accumulates (rule 1 of base/canon.h). A block makes a tile of 16 PER x 16 PER outputs, a
 * thread PER x PER of them; strips of k pass through shared memory, the next one on its way in registers. Where k ends
 * inside a strip, the steps beyond are left out, not multiplied by zero. */
#ifndef KERNELS_CUDA_MATMUL_CUH
#define KERNELS_CUDA_MATMUL_CUH

#include "kernels/cuda/device.cuh"

/* ODD: padding between steps of k in shared memory, against bank conflicts; WORDS: numbers of a strip that a thread
 * loads in one read. */
enum { SIDE = 16, ODD = 4, WORDS = 4, HALF = WARP / 2 };

/* Element (line, k) is at[line * line_step + k * k_step]; one of the steps is 1. Lines
 * are rows of A or columns of B. */
typedef struct {
    const Number *at;
    size_t line_step, k_step;
    int lines;
} Operand;

/* To: Target or float *. */
template <typename To>
struct Multiplication {
    To c;
    size_t ldc;
    Operand a, b;
    int k;
    const Number *bias; /* [b.lines] or NULL */
    bool accumulate, continues; /* continues: chains begin with the old C */
};

/* Numbers that a thread loads of each strip: WORDS neighbours in memory, along k or along lines. */
template <int TILE, bool ALONG_K>
struct Walk {
    enum { STRIP = WORDS * THREADS / TILE }; /* steps of k */
    const Number *next;
    size_t stride;   /* stride of strips, in numbers */
    int line, k;     /* the first number's line in the tile and step in the strip */
    int lines, left; /* lines that exist from the first on; steps of k left from its strip on */
};

/* Return true if x can be read four numbers at a time, each four all inside or all outside of x. */
template <bool ALONG_K>
DEVICE_FN bool in_fours(const Operand &x) {
    return lies_by(x.at, ALONG_K ? x.line_step : x.k_step, WORDS) && (ALONG_K || x.lines % WORDS == 0);
}

/* Choose what a thread loads. Along k, two lanes take the 32 bytes of a line that memory delivers together, so that a
 * warp's 16 lines are transposed into different banks. Lines beyond the last give outputs that are not stored: in
 * fours, the last lines are read in their place. */
template <int TILE, bool ALONG_K>
DEVICE_FN Walk<TILE, ALONG_K> walk_along(const Operand &x, int first, int k_from, int k_end, bool fours) {
    Walk<TILE, ALONG_K> w;
    const int thread = (int)threadIdx.x, lane = thread % WARP, warp = thread / WARP;
    if (ALONG_K)
        w.line = lane / 2 + warp % (TILE / HALF) * HALF, w.k = (lane % 2 + warp / (TILE / HALF) * 2) * WORDS;
    else
        w.line = thread % (TILE / WORDS) * WORDS, w.k = thread / (TILE / WORDS);
    int from = first + w.line, last = x.lines - (ALONG_K ? 1 : (int)WORDS);
    w.next = x.at + (size_t)(fours && from > last ? last : from) * x.line_step + (size_t)(k_from + w.k) * x.k_step;
    w.stride = w.STRIP * x.k_step;
    w.lines = x.lines - from, w.left = k_end - k_from;
    return w;
}

template <bool FOURS, int TILE, bool ALONG_K>
DEVICE_FN void fetch(float (&held)[WORDS], Walk<TILE, ALONG_K> &w) {
    if (FOURS)
        load(held, w.next);
    else
#pragma unroll
        for (int i = 0; i < WORDS; i++)
            held[i] = (ALONG_K ? 0 : i) < w.lines && w.k + (ALONG_K ? i : 0) < w.left ? (float)w.next[i] : 0;
    w.next += w.stride, w.left -= w.STRIP;
}

template <int TILE, bool ALONG_K>
DEVICE_FN void keep(float *strip, const float (&held)[WORDS], const Walk<TILE, ALONG_K> &w) {
    float *to = strip + w.k * (TILE + ODD) + w.line;
    if (!ALONG_K)
        store(to, held);
    else
#pragma unroll
        for (int i = 0; i < WORDS; i++) to[i * (TILE + ODD)] = held[i];
}

/* Return the place of a thread's output i in its tile: groups of GROUP neighbours. */
template <int PER>
struct Side {
    enum { GROUP = PER < 4 ? PER : 4 };
    static DEVICE_METHOD int spot(int thread, int i) {
        return i / GROUP * (SIDE * GROUP) + thread * GROUP + i % GROUP;
    }
    /* Load this thread's PER numbers of one step of k. */
    static DEVICE_METHOD void pick(float (&x)[PER], const float *strip, int thread) {
#pragma unroll
        for (int i = 0; i < PER; i += GROUP) {
            float group[GROUP];
            load(group, strip + spot(thread, i));
#pragma unroll
            for (int j = 0; j < GROUP; j++) x[i + j] = group[j];
        }
    }
};

template <int PER>
DEVICE_FN void step(float (&chain)[PER][PER], const float *a, const float *b, int row, int col) {
    float x[PER], y[PER];
    Side<PER>::pick(x, a, row), Side<PER>::pick(y, b, col);
#pragma unroll
    for (int i = 0; i < PER; i++)
#pragma unroll
        for (int j = 0; j < PER; j++) chain[i][j] = CANON_FMA(x[i], y[j], chain[i][j]);
}

/* Store a group of a row of C, of which `exist` numbers exist. */
template <int GROUP, typename To>
DEVICE_FN void put_group(To to, const float *x, bool accumulate, int exist, bool wide) {
    float sum[GROUP], old[GROUP];
    if (!wide || exist < GROUP) {
#pragma unroll
        for (int j = 0; j < GROUP; j++)
            if (j < exist) put(to + j, x[j], accumulate);
        return;
    }
    if (accumulate) load(old, to);
#pragma unroll
    for (int j = 0; j < GROUP; j++) sum[j] = accumulate ? old[j] + x[j] : x[j];
    store(to, sum);
}

/* Return the numbers of shared memory that a product takes: two strips of each operand. */
static inline __host__ __device__ constexpr int near_words(int per) {
    return 2 * 2 * (WORDS * THREADS / (SIDE * per)) * (SIDE * per + ODD);
}

/* Add the strips of k from `from` to `end` to the chains; in fours, the distance is a whole number of strips.
 * cp.async was counted (sm_80, 90, 100; not timed): its commit, its wait, the address it writes to and three LDS that
 * ptxas puts before it are 4 to 6 instructions a strip more than the load and store it saves, 8 to 11 with three or
 * four stages, for a register less on average; along k (by 4 bytes) it spills. So words pass through registers. */
template <bool FOURS, int PER, bool A_ALONG_K, bool B_ALONG_K, typename To>
DEVICE_FN void add_strips(float (&chain)[PER][PER], float *near, const Multiplication<To> &p, int first_row,
                          int first_col, int from, int end, int row, int col) {
    enum { TILE = SIDE * PER, PITCH = TILE + ODD, STRIP = Walk<TILE, true>::STRIP };
    float *a = near, *b = near + near_words(PER) / 2, next_a[WORDS], next_b[WORDS];
    if (from >= end) return;
    Walk<TILE, A_ALONG_K> walk_a = walk_along<TILE, A_ALONG_K>(p.a, first_row, from, end, FOURS);
    Walk<TILE, B_ALONG_K> walk_b = walk_along<TILE, B_ALONG_K>(p.b, first_col, from, end, FOURS);
    fetch<FOURS>(next_a, walk_a), fetch<FOURS>(next_b, walk_b);
    for (int turn = from / STRIP & 1; from < end; from += STRIP, turn ^= 1) {
        const float *x = a + turn * STRIP * PITCH, *y = b + turn * STRIP * PITCH;
        keep(a + turn * STRIP * PITCH, next_a, walk_a), keep(b + turn * STRIP * PITCH, next_b, walk_b);
        __syncthreads(); /* one barrier is enough: this strip is overwritten only after the next one */
        if (from + STRIP < end) fetch<FOURS>(next_a, walk_a), fetch<FOURS>(next_b, walk_b);
        if (FOURS)
#pragma unroll
            for (int k = 0; k < STRIP; k++) step<PER>(chain, x + k * PITCH, y + k * PITCH, row, col);
        else
#pragma unroll 1
            for (int k = 0; k < (end - from < STRIP ? end - from : (int)STRIP); k++)
                step<PER>(chain, x + k * PITCH, y + k * PITCH, row, col);
    }
}

/* Compute the tile in column x and row y of tiles; near: near_words(PER) numbers of shared memory. */
template <int PER, bool A_ALONG_K, bool B_ALONG_K, typename To>
DEVICE_FN void multiply(const Multiplication<To> &p, float *near, int tile_x, int tile_y) {
    enum { TILE = SIDE * PER, STRIP = Walk<TILE, true>::STRIP, GROUP = Side<PER>::GROUP };
    /* A warp computes 2 x 16 squares. Lanes n and n ^ 1 read the same rows, n and n ^ 2 the same columns: so a load of
     * 128 bits is two requests to shared memory, not four. */
    const int lane = lane_id(), row = (int)threadIdx.x / WARP * 2 + (lane >> 1 & 1);
    const int col = (lane & 1) | (lane >> 1 & 14);
    const int first_row = tile_y * TILE, first_col = tile_x * TILE;
    const bool fours = in_fours<A_ALONG_K>(p.a) && in_fours<B_ALONG_K>(p.b);
    const int whole = fours ? p.k / STRIP * STRIP : 0;
    float chain[PER][PER];
#pragma unroll
    for (int i = 0; i < PER; i++)
#pragma unroll
        for (int j = 0; j < PER; j++) chain[i][j] = 0;
    if (p.continues)
#pragma unroll
        for (int i = 0; i < PER; i++) {
            ROW_BY_ROW();
            const int m = first_row + Side<PER>::spot(row, i);
#pragma unroll
            for (int j = 0; j < PER; j++) {
                const int n = first_col + Side<PER>::spot(col, j);
                if (m < p.a.lines && n < p.b.lines) chain[i][j] = p.c[(size_t)m * p.ldc + n];
            }
        }
    add_strips<true, PER, A_ALONG_K, B_ALONG_K>(chain, near, p, first_row, first_col, 0, whole, row, col);
    add_strips<false, PER, A_ALONG_K, B_ALONG_K>(chain, near, p, first_row, first_col, whole, p.k, row, col);
    const bool wide = lies_by(p.c, p.ldc, GROUP);
    if (p.bias)
#pragma unroll
        for (int j = 0; j < PER; j++) {
            int n = first_col + Side<PER>::spot(col, j);
            const float bias = n < p.b.lines ? (float)p.bias[n] : 0;
#pragma unroll
            for (int i = 0; i < PER; i++) chain[i][j] += bias;
        }
#pragma unroll
    for (int i = 0; i < PER; i++) {
        ROW_BY_ROW();
        int m = first_row + Side<PER>::spot(row, i);
        if (m >= p.a.lines) continue;
#pragma unroll
        for (int j = 0; j < PER; j += GROUP) {
            int n = first_col + Side<PER>::spot(col, j);
            put_group<GROUP>(p.c + ((size_t)m * p.ldc + n), chain[i] + j, p.accumulate, p.b.lines - n,
                             wide);
        }
    }
}

#endif
