/* The dialect of CUDA kernels. Each kernels/cuda/<op>.cu mirrors kernels/cpu/<op>.c: same name, same order, same bits
 * (base/canon.h). nvcc compiles it for devices (BACKEND cuda), g++ with simt/simt.h for the shim (BACKEND simt).
 *
 * A kernel takes one struct by value. blockIdx.z is the replica, except where blockIdx.x counts the blocks of all
 * replicas. Rows go to warps, so that lane j of rule 3 is lane j of a warp; chains go to threads. No float atomics
 * anywhere. */
#ifndef KERNELS_CUDA_DEVICE_CUH
#define KERNELS_CUDA_DEVICE_CUH

#include <math.h>

#include "base/canon.h"
#include "base/philox.h"
#include "kernels/cuda/launch.h"

#ifdef __CUDACC__
#define DEVICE_FN static __device__ __forceinline__
#define DEVICE_METHOD __device__ __forceinline__
/* Define a kernel of at most `threads` threads a block that takes one Args called `name`. AT_LEAST: that many blocks
 * must fit on a processor, where the compiler's own guess spills. */
#define AT_LEAST(blocks, threads) threads, blocks
#define KERNEL_FN(function, threads, Args, name) \
    static __global__ void __launch_bounds__(threads) function(const Args name)
/* Keep the compiler from moving later loads before this line: all addresses of a tile at once would need too many
 * registers. */
#define ROW_BY_ROW() asm volatile("" ::: "memory")
#define BODY(function, Args) ((const void *)(void (*)(const Args))function)
/* Declare shared memory of a block. */
#define SHARED(type, name, ...) __shared__ __align__(16) type name __VA_ARGS__
#define DYNAMIC_SHARED(type, name) \
    extern __shared__ __align__(16) unsigned char dynamic_shared[]; \
    type *const name = (type *)dynamic_shared
/* Draw four Philox words by cuRAND's integers; its floats are not portable and not used. Tests compare it with
 * base/canon.h. */
#define QUALIFIERS static __forceinline__ __device__
#include <curand_philox4x32_x.h>
DEVICE_FN void draw_block(uint32_t out[4], uint64_t seed, uint64_t stream, uint64_t block) {
    uint4 word = curand_Philox4x32_10(
        make_uint4((uint32_t)block, (uint32_t)(block >> 32), (uint32_t)stream, (uint32_t)(stream >> 32)),
        make_uint2((uint32_t)seed, (uint32_t)(seed >> 32)));
    out[0] = word.x, out[1] = word.y, out[2] = word.z, out[3] = word.w;
}
#else
#include "kernels/cuda/simt/simt.h"
#define draw_block philox_block
#endif

#define PASTE2(a, b) a##_##b
#define PASTE(a, b) PASTE2(a, b)
#define SYMBOL(name) PASTE(BACKEND, name)
/* Define an op's export; last line of its file. */
#define STAGES(op, ...) \
    extern "C" const Stages SYMBOL(op); \
    extern "C" const Stages SYMBOL(op) = {__VA_ARGS__}

/* Define the export of a fusion (fusions.def), in one of the two ops' files. */
#define FUSED(first, second, pass, ...) \
    extern "C" const Fusion SYMBOL(first##_##second##_##pass); \
    extern "C" const Fusion SYMBOL(first##_##second##_##pass) = {OP_##first, OP_##second, FUSED_##pass, __VA_ARGS__}

enum { THREADS = 256, WARP = CANON_LANES, WARPS = THREADS / WARP };
#define ALL_LANES 0xffffffffu

#include "kernels/cuda/words.cuh"

DEVICE_FN int lane_id(void) {
    return (int)(threadIdx.x % WARP);
}

/* Return this warp's index among the grid's in x: a row, for kernels that give a row to a warp. */
DEVICE_FN int warp_row(void) {
    return (int)(blockIdx.x * (blockDim.x / WARP) + threadIdx.x / WARP);
}

DEVICE_FN int thread_index(void) {
    return (int)(blockIdx.x * blockDim.x + threadIdx.x);
}

/* Sum over a warp by rule 3: lanes fold 16, 8, 4, 2, 1. Every lane gets the sum. */
DEVICE_FN float fold(float lane) {
    for (int half = WARP / 2; half; half /= 2) lane += __shfl_xor_sync(ALL_LANES, lane, half);
    return lane;
}

DEVICE_FN float larger(float x, float best) {
    return x > best ? x : best;
}

/* Find a warp's largest number; on a tie the lower lane's, which settles the sign of a zero. A NaN is ignored. */
DEVICE_FN float fold_max(float lane) {
    for (int half = WARP / 2; half; half /= 2) {
        float other = __shfl_xor_sync(ALL_LANES, lane, half);
        lane = lane_id() & half ? larger(lane, other) : larger(other, lane);
    }
    return lane;
}

/* Reduce over i in [0, n) by one warp, by rule 3: the last argument says how `lane` takes element i. */
#define ROW_REDUCE(n, result, ...) \
    do { \
        float lane = 0; \
        for (int i = lane_id(); i < (n); i += WARP) { \
            __VA_ARGS__; \
        } \
        (result) = fold(lane); \
    } while (0)

template <typename X>
DEVICE_FN float row_sum(const X *x, int n) {
    float sum;
    ROW_REDUCE(n, sum, lane += x[i]);
    return sum;
}

template <typename X, typename Y>
DEVICE_FN float row_dot(const X *x, const Y *y, int n) {
    float sum;
    ROW_REDUCE(n, sum, lane = CANON_FMA(x[i], y[i], lane));
    return sum;
}

template <typename X>
DEVICE_FN float row_max(const X *x, int n) {
    float lane = -INFINITY;
    for (int i = lane_id(); i < n; i += WARP) lane = larger(x[i], lane);
    return fold_max(lane);
}

/* Sum by rule 2's tree as a binary counter: the partial sum of level l joins 2^l blocks; a finished chain carries while
 * levels are occupied. Levels are unrolled, so that partial sums stay in registers. */
enum { TREE_LEVELS = 13 }; /* 4,096 x (2^13 - 1) rows, more than a tape has */

typedef struct {
    float level[TREE_LEVELS];
} Tree;

DEVICE_FN void tree_push(Tree *t, int block, float chain) {
    bool carried = true;
#pragma unroll
    for (int l = 0; l < TREE_LEVELS; l++) {
        bool taken = block >> l & 1;
        if (carried && taken) chain = t->level[l] + chain;
        if (carried && !taken) t->level[l] = chain, carried = false;
    }
}

DEVICE_FN float tree_end(const Tree *t, int blocks) {
    float total = 0;
    bool begun = false;
#pragma unroll
    for (int l = 0; l < TREE_LEVELS; l++)
        if (blocks >> l & 1) total = begun ? t->level[l] + total : t->level[l], begun = true;
    return total;
}

/* Host side: grids that many ops share. */
static inline unsigned ceil_of(size_t n, unsigned by) {
    return (unsigned)((n + by - 1) / by);
}

/* Launch a thread for each of n items. */
static inline Grid grid_of(const Call *c, size_t n) {
    Grid g = {ceil_of(n, THREADS), 1, (unsigned)c->replicas, THREADS, 0};
    return g;
}

/* Launch a warp for each row. */
static inline Grid grid_of_rows(const Call *c, size_t rows) {
    Grid g = {ceil_of(rows, WARPS), 1, (unsigned)c->replicas, THREADS, 0};
    return g;
}

static inline Grid no_grid(void) {
    Grid g = {0, 0, 0, 0, 0};
    return g;
}

/* Launch a thread for each element of y. */
static inline Grid each_element(const Call *c) {
    return grid_of(c, (size_t)c->out.rows * (size_t)c->out.cols);
}

/* Launch a thread for each element of y in backward, unless the gradient of input 0 is not wanted. */
static inline Grid each_element_back(const Call *c) {
    return c->din[0].at ? each_element(c) : no_grid();
}

/* In the shim, check that all lanes of a warp make the same call of these: a device may have other code for each. */
#ifdef SIMT_CALL
#define fold(...) SIMT_CALL(fold, __VA_ARGS__)
#define fold_max(...) SIMT_CALL(fold_max, __VA_ARGS__)
#define row_sum(...) SIMT_CALL(row_sum, __VA_ARGS__)
#define row_dot(...) SIMT_CALL(row_dot, __VA_ARGS__)
#define row_max(...) SIMT_CALL(row_max, __VA_ARGS__)
#endif

#endif
