/* Rule 2 for many columns at once: gradients of biases and gains. A block sums 32 columns; its warps load strips of
 * rows, the next one while the first warp adds this one, a column per lane, in order. */
#ifndef KERNELS_CUDA_COLUMNS_CUH
#define KERNELS_CUDA_COLUMNS_CUH

#include "kernels/cuda/device.cuh"

/* Rows of a strip: if a kernel does nothing else, and if its shared memory also serves a product. */
enum { STRIP_ROWS = 64, SHORT_ROWS = 32 };

static inline __host__ __device__ constexpr int column_words(int strip_rows) {
    return 2 * 2 * strip_rows * WARP;
}

/* Two numbers whose product a chain adds; b = 1 adds a. */
typedef struct {
    float a, b;
} Factors;

/* Return this lane's column; columns beyond the last are computed and not stored. */
DEVICE_FN int column_here(void) {
    return (int)blockIdx.x * WARP + lane_id();
}

/* Sum fma chains over rows 0..rows-1 in blocks of block_rows (a multiple of ROWS), joined as a tree; `of` returns the
 * factors of (row, column); near: column_words(ROWS) of shared memory. All threads of the block call; the first warp
 * returns the sum. */
template <int ROWS, typename Of>
DEVICE_FN float column_chain_in(float *near, int rows, int block_rows, int column, int columns, const Of &of) {
    enum { SHARE = ROWS / WARPS };
    const int warp = (int)threadIdx.x / WARP, lane = lane_id();
    Factors next[SHARE];
    Tree tree;
    float chain = 0;
    int block = 0;
    for (int from = -ROWS, turn = 0; from < rows; from += ROWS, turn ^= 1) {
        float *a = near + 2 * turn * ROWS * WARP, *b = a + ROWS * WARP;
        if (from >= 0) {
#pragma unroll
            for (int i = 0; i < SHARE; i++)
                a[(warp + i * WARPS) * WARP + lane] = next[i].a, b[(warp + i * WARPS) * WARP + lane] = next[i].b;
            __syncthreads(); /* the first warp is done with the strip before the last, whose place the next one takes */
        }
#pragma unroll
        for (int i = 0; i < SHARE; i++) {
            /* read a number that exists, as behind a branch a load would wait for the one before */
            const int row = from + ROWS + warp + i * WARPS, last = rows - 1;
            const Factors none = {0, 0}, some = of(row < last ? row : last, column < columns ? column : columns - 1);
            next[i] = row <= last && column < columns ? some : none;
        }
        if (from < 0 || warp) continue;
        if (from && from % block_rows == 0) tree_push(&tree, block++, chain), chain = 0;
        const int count = rows - from < ROWS ? rows - from : ROWS;
        if (count == ROWS)
#pragma unroll 16
            for (int i = 0; i < ROWS; i++) chain = CANON_FMA(a[i * WARP + lane], b[i * WARP + lane], chain);
        else
            for (int i = 0; i < count; i++) chain = CANON_FMA(a[i * WARP + lane], b[i * WARP + lane], chain);
    }
    if (block) tree_push(&tree, block, chain), chain = tree_end(&tree, block + 1);
    return chain;
}

template <typename Of>
DEVICE_FN float column_chain(int rows, int block_rows, int column, int columns, const Of &of) {
    SHARED(float, near, [column_words(STRIP_ROWS)]);
    return column_chain_in<STRIP_ROWS>(near, rows, block_rows, column, columns, of);
}

/* Launch a block for each 32 of n columns. */
static inline Grid grid_of_columns(const Call *c, size_t n) {
    Grid g = {ceil_of(n, WARP), 1, (unsigned)c->replicas, THREADS, 0};
    return g;
}

#ifdef SIMT_CALL /* each call is a place of its own */
#define column_chain(...) SIMT_CALL(column_chain, __VA_ARGS__)
#endif

#endif
