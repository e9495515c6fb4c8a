/* One long chain over numbers in memory by one block: all threads load, the first one adds, in order. Blocks of
 * CANON_BLOCK numbers join as rule 2's tree. */
#ifndef KERNELS_CUDA_CHAIN_CUH
#define KERNELS_CUDA_CHAIN_CUH

#include "kernels/cuda/device.cuh"

/* Sum x[n] by all threads of a block; the first thread returns the sum. */
DEVICE_FN float chain_sum(const float *x, int n) {
    SHARED(float, near, [CANON_BLOCK]);
    Tree tree;
    float chain = 0;
    for (int block = 0; block * CANON_BLOCK < n || block == 0; block++) {
        int count = n - block * CANON_BLOCK < CANON_BLOCK ? n - block * CANON_BLOCK : CANON_BLOCK;
        __syncthreads();
        for (int i = (int)threadIdx.x; i < count; i += (int)blockDim.x) near[i] = x[(size_t)block * CANON_BLOCK + i];
        __syncthreads();
        chain = 0;
        if (threadIdx.x == 0)
#pragma unroll 16
            for (int i = 0; i < count; i++) chain += near[i];
        if (n > CANON_BLOCK) tree_push(&tree, block, chain);
    }
    return n > CANON_BLOCK ? tree_end(&tree, (n + CANON_BLOCK - 1) / CANON_BLOCK) : chain;
}

#ifdef SIMT_CALL /* each call is a place of its own */
#define chain_sum(...) SIMT_CALL(chain_sum, __VA_ARGS__)
#endif

#endif
