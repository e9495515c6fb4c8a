/* The one exact matrix product of the CUDA backend.
 *
 *   C(i, j)  =  [C(i, j) +]  ( sum over k of A(i, k) B(k, j)  [+ bias(j)] )
 *
 * Each output is one fma chain over ascending k from +0 in one register of one thread, then one add of the bias, then one
 * add of the old C when it accumulates (rule 1 of base/canon.h). A block makes a tile of 16 PER x 16 PER outputs, a thread
 * PER x PER of them; strips of STRIP steps of k pass through shared memory, the next one on its way in registers. Where k
 * ends inside a strip, the steps beyond are left out, not multiplied by zero. */
#ifndef KERNELS_CUDA_MATMUL_CUH
#define KERNELS_CUDA_MATMUL_CUH

#include "kernels/cuda/device.cuh"

enum { STRIP = 8, SIDE = 16 };

/* Element (line, k) stands at at[line * line_step + k * k_step]; one of the steps is 1. Lines are rows of A or columns of B. */
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

/* This thread's words of a strip: neighbours in memory go to neighbours among the threads. */
template <int TILE, bool ALONG_K>
DEVICE_FN void place_of_word(int word, int *line, int *k) {
    *line = ALONG_K ? word / STRIP : word % TILE;
    *k = ALONG_K ? word % STRIP : word / TILE;
}

template <int TILE, int WORDS, bool ALONG_K>
DEVICE_FN void fetch(float (&held)[WORDS], const Operand &x, int first, int from, int k_end) {
#pragma unroll
    for (int i = 0; i < WORDS; i++) {
        int line, k;
        place_of_word<TILE, ALONG_K>((int)threadIdx.x + i * THREADS, &line, &k);
        line += first, k += from;
        held[i] = line < x.lines && k < k_end ? x.at[(size_t)line * x.line_step + (size_t)k * x.k_step] : 0;
    }
}

template <int TILE, int WORDS, bool ALONG_K>
DEVICE_FN void keep(float *strip, const float (&held)[WORDS]) {
#pragma unroll
    for (int i = 0; i < WORDS; i++) {
        int line, k;
        place_of_word<TILE, ALONG_K>((int)threadIdx.x + i * THREADS, &line, &k);
        strip[k * TILE + line] = held[i];
    }
}

/* Where output i of a thread stands in its tile: groups of up to four side by side, so that threads read shared memory
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
    enum { TILE = SIDE * PER, WORDS = TILE * STRIP / THREADS ? TILE * STRIP / THREADS : 1 };
    static_assert(TILE * STRIP % THREADS == 0, "a strip is a whole number of words per thread");
    SHARED(float, a, [2][STRIP * TILE]);
    SHARED(float, b, [2][STRIP * TILE]);
    const int row = (int)threadIdx.x / SIDE, col = (int)threadIdx.x % SIDE;
    const int first_row = (int)blockIdx.y * TILE, first_col = (int)blockIdx.x * TILE;
    float chain[PER][PER], next_a[WORDS], next_b[WORDS];
#pragma unroll
    for (int i = 0; i < PER; i++)
#pragma unroll
        for (int j = 0; j < PER; j++) chain[i][j] = 0;
    fetch<TILE, WORDS, A_ALONG_K>(next_a, p.a, first_row, 0, p.k);
    fetch<TILE, WORDS, B_ALONG_K>(next_b, p.b, first_col, 0, p.k);
    for (int from = 0, turn = 0; from < p.k; from += STRIP, turn ^= 1) {
        keep<TILE, WORDS, A_ALONG_K>(a[turn], next_a);
        keep<TILE, WORDS, B_ALONG_K>(b[turn], next_b);
        __syncthreads(); /* one is enough: the strip after the next goes where this one stands, after the next barrier */
        if (from + STRIP < p.k) {
            fetch<TILE, WORDS, A_ALONG_K>(next_a, p.a, first_row, from + STRIP, p.k);
            fetch<TILE, WORDS, B_ALONG_K>(next_b, p.b, first_col, from + STRIP, p.k);
        }
        if (from + STRIP <= p.k)
#pragma unroll
            for (int k = 0; k < STRIP; k++) step<PER>(chain, a[turn] + k * TILE, b[turn] + k * TILE, row, col);
        else
            for (int k = 0; from + k < p.k; k++) step<PER>(chain, a[turn] + k * TILE, b[turn] + k * TILE, row, col);
    }
#pragma unroll
    for (int i = 0; i < PER; i++)
#pragma unroll
        for (int j = 0; j < PER; j++) {
            int m = first_row + spot<PER>(row, i), n = first_col + spot<PER>(col, j);
            if (m >= p.a.lines || n >= p.b.lines) continue;
            float value = chain[i][j];
            if (p.bias) value += p.bias[n];
            put(&p.c[(size_t)m * p.ldc + n], value, p.accumulate);
        }
}

#endif
