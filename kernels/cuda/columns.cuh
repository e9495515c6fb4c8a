/* Rule 2 for many columns at once: gradients of biases and gains. A block makes 32 columns; its warps fetch strips of
 * rows, the next one on its way while the first warp adds this one, lane by lane, in order. */
#ifndef KERNELS_CUDA_COLUMNS_CUH
#define KERNELS_CUDA_COLUMNS_CUH

#include "kernels/cuda/device.cuh"

enum { STRIP_ROWS = 64, STRIP_SHARE = STRIP_ROWS / WARPS };

/* Two numbers whose product a chain takes; b = 1 leaves the addition of a. */
typedef struct {
    float a, b;
} Factors;

/* This block's column of this lane; columns beyond the last are computed and not stored. */
DEVICE_FN int column_here(void) {
    return (int)blockIdx.x * WARP + lane_id();
}

/* chain <- fma(a, b, chain) over rows 0..rows-1 in blocks of block_rows (a multiple of STRIP_ROWS), joined as a tree;
 * `of` gives the factors of (row, column). All threads of the block call; the sum is the first warp's. */
template <typename Of>
DEVICE_FN float column_chain(int rows, int block_rows, int column, int columns, const Of &of) {
    SHARED(float, near_a, [2][STRIP_ROWS][WARP]);
    SHARED(float, near_b, [2][STRIP_ROWS][WARP]);
    const int warp = (int)threadIdx.x / WARP, lane = lane_id();
    Factors next[STRIP_SHARE];
    Tree tree;
    float chain = 0;
    int block = 0;
    for (int from = -STRIP_ROWS, turn = 0; from < rows; from += STRIP_ROWS, turn ^= 1) {
        if (from >= 0) {
#pragma unroll
            for (int i = 0; i < STRIP_SHARE; i++)
                near_a[turn][warp + i * WARPS][lane] = next[i].a, near_b[turn][warp + i * WARPS][lane] = next[i].b;
            __syncthreads(); /* the first warp is done with the strip before the last, whose place the next one takes */
        }
#pragma unroll
        for (int i = 0; i < STRIP_SHARE; i++) {
            int row = from + STRIP_ROWS + warp + i * WARPS;
            const Factors none = {0, 0};
            next[i] = row < rows && column < columns ? of(row, column) : none;
        }
        if (from < 0 || warp) continue;
        if (from && from % block_rows == 0) tree_push(&tree, block++, chain), chain = 0;
        const int count = rows - from < STRIP_ROWS ? rows - from : STRIP_ROWS;
        if (count == STRIP_ROWS)
#pragma unroll 16
            for (int i = 0; i < STRIP_ROWS; i++) chain = CANON_FMA(near_a[turn][i][lane], near_b[turn][i][lane], chain);
        else
            for (int i = 0; i < count; i++) chain = CANON_FMA(near_a[turn][i][lane], near_b[turn][i][lane], chain);
    }
    if (block) tree_push(&tree, block, chain), chain = tree_end(&tree, block + 1);
    return chain;
}

/* A block for each 32 of n columns. */
static inline Grid grid_of_columns(const Call *c, size_t n) {
    Grid g = {ceil_of(n, WARP), 1, (unsigned)c->replicas, THREADS, 0};
    return g;
}

#ifdef SIMT_CALL /* each call is a place of its own */
#define column_chain(...) SIMT_CALL(column_chain, __VA_ARGS__)
#endif

#endif
