/* The one exact matrix product of the CUDA backend.
 *
 *   C(i, j)  =  [C(i, j) +]  ( sum over k of A(i, k) B(k, j)  [+ bias(j)] )
 *
 * Each output is one fma chain over ascending k from +0 in one register of one thread, then one add of the bias, then
 * one add of the old C when it accumulates (rule 1 of base/canon.h). A block makes a tile of 16 PER x 16 PER outputs, a
 * thread PER x PER of them; strips of STRIP steps of k pass through shared memory, the next one on its way in
 * registers. Where k ends inside a strip, the steps beyond are left out, not multiplied by zero. */
#ifndef KERNELS_CUDA_MATMUL_CUH
#define KERNELS_CUDA_MATMUL_CUH

#include "kernels/cuda/device.cuh"

enum { STRIP = 8, SIDE = 16, ODD = 4 }; /* ODD: words between steps of k in shared memory, against clashes of banks */

/* Element (line, k) is at[line * line_step + k * k_step]; one of the steps is 1. Lines
 * are rows of A or columns of B. */
typedef struct {
    const float *at;
    size_t line_step, k_step;
    int lines;
} Operand;

typedef struct {
    float *c;
    size_t ldc;
    Operand a, b;
    int k;
    const float *bias; /* [b.lines] or NULL */
    bool accumulate;
} Multiplication;

/* A thread's words of each strip: neighbours in memory go to neighbours among the threads. Word i is `apart` words,
 * `lines` lines and `ks` steps of k after word i - 1. */
template <int TILE, bool ALONG_K>
struct Walk {
    enum { LINES = ALONG_K ? THREADS / STRIP : 0, KS = ALONG_K ? 0 : THREADS / TILE };
    const float *next;
    size_t apart, stride; /* words from one of a strip to the next; from strip to strip */
    int line, k;          /* of the first: in the tile, in the strip */
    int lines, left;      /* that exist from the first on; steps of k that are left from its strip on */
};

template <int TILE, bool ALONG_K>
DEVICE_FN Walk<TILE, ALONG_K> walk_along(const Operand &x, int first, int k_end) {
    Walk<TILE, ALONG_K> w;
    int thread = (int)threadIdx.x;
    w.line = ALONG_K ? thread / STRIP : thread % TILE, w.k = ALONG_K ? thread % STRIP : thread / TILE;
    w.next = x.at + (size_t)(first + w.line) * x.line_step + (size_t)w.k * x.k_step;
    w.apart = ALONG_K ? w.LINES * x.line_step : w.KS * x.k_step;
    w.stride = STRIP * x.k_step;
    w.lines = x.lines - first - w.line, w.left = k_end - w.k;
    return w;
}

template <int TILE, int WORDS, bool ALONG_K>
DEVICE_FN void fetch(float (&held)[WORDS], Walk<TILE, ALONG_K> &w) {
    const float *from = w.next;
#pragma unroll
    for (int i = 0; i < WORDS; i++, from += w.apart) held[i] = i * w.LINES < w.lines && i * w.KS < w.left ? *from : 0;
    w.next += w.stride, w.left -= STRIP;
}

template <int TILE, int WORDS, bool ALONG_K>
DEVICE_FN void keep(float *strip, const float (&held)[WORDS], const Walk<TILE, ALONG_K> &w) {
#pragma unroll
    for (int i = 0; i < WORDS; i++) strip[(w.k + i * w.KS) * (TILE + ODD) + w.line + i * w.LINES] = held[i];
}

/* Where output i of a thread is in its tile: groups of up to four side by side, so that threads read shared memory
 * without clashes. */
template <int PER>
DEVICE_FN int spot(int thread, int i) {
    const int group = PER < 4 ? PER : 4;
    return i / group * (SIDE * group) + thread * group + i % group;
}

/* This thread's PER numbers of one step of k. */
template <int PER>
DEVICE_FN void pick(float (&x)[PER], const float *strip, int thread) {
#pragma unroll
    for (int i = 0; i < PER; i += PER % 4 ? 1 : 4) {
        const float *from = strip + spot<PER>(thread, i);
        if (PER % 4) {
            x[i] = from[0];
            continue;
        }
        const float4 four = *(const float4 *)from;
        x[i] = four.x, x[(i + 1) % PER] = four.y, x[(i + 2) % PER] = four.z, x[(i + 3) % PER] = four.w;
    }
}

template <int PER>
DEVICE_FN void step(float (&chain)[PER][PER], const float *a, const float *b, int row, int col) {
    float x[PER], y[PER];
    pick<PER>(x, a, row), pick<PER>(y, b, col);
#pragma unroll
    for (int i = 0; i < PER; i++)
#pragma unroll
        for (int j = 0; j < PER; j++) chain[i][j] = CANON_FMA(x[i], y[j], chain[i][j]);
}

template <int PER, bool A_ALONG_K, bool B_ALONG_K>
DEVICE_FN void multiply(const Multiplication &p) {
    enum { TILE = SIDE * PER, PITCH = TILE + ODD, WORDS = TILE * STRIP / THREADS ? TILE * STRIP / THREADS : 1 };
    static_assert(TILE * STRIP % THREADS == 0, "a strip is a whole number of words per thread");
    SHARED(float, a, [2][STRIP * PITCH]);
    SHARED(float, b, [2][STRIP * PITCH]);
    const int row = (int)threadIdx.x / SIDE, col = (int)threadIdx.x % SIDE;
    const int first_row = (int)blockIdx.y * TILE, first_col = (int)blockIdx.x * TILE;
    float chain[PER][PER], next_a[WORDS], next_b[WORDS];
#pragma unroll
    for (int i = 0; i < PER; i++)
#pragma unroll
        for (int j = 0; j < PER; j++) chain[i][j] = 0;
    Walk<TILE, A_ALONG_K> walk_a = walk_along<TILE, A_ALONG_K>(p.a, first_row, p.k);
    Walk<TILE, B_ALONG_K> walk_b = walk_along<TILE, B_ALONG_K>(p.b, first_col, p.k);
    fetch(next_a, walk_a), fetch(next_b, walk_b);
    for (int from = 0, turn = 0; from < p.k; from += STRIP, turn ^= 1) {
        keep(a[turn], next_a, walk_a), keep(b[turn], next_b, walk_b);
        __syncthreads(); /* one is enough: the strip after the next overwrites this one, after the next barrier */
        if (from + STRIP < p.k) fetch(next_a, walk_a), fetch(next_b, walk_b);
        if (from + STRIP <= p.k)
#pragma unroll
            for (int k = 0; k < STRIP; k++) step<PER>(chain, a[turn] + k * PITCH, b[turn] + k * PITCH, row, col);
        else
            for (int k = 0; from + k < p.k; k++) step<PER>(chain, a[turn] + k * PITCH, b[turn] + k * PITCH, row, col);
    }
#pragma unroll
    for (int i = 0; i < PER; i++) {
        ROW_BY_ROW();
#pragma unroll
        for (int j = 0; j < PER; j++) {
            int m = first_row + spot<PER>(row, i), n = first_col + spot<PER>(col, j);
            if (m >= p.a.lines || n >= p.b.lines) continue;
            float value = chain[i][j];
            if (p.bias) value += p.bias[n];
            put(&p.c[(size_t)m * p.ldc + n], value, p.accumulate);
        }
    }
}

#endif
