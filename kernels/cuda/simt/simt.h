/* The SIMT shim: CUDA kernels as plain C++, so that the code a device runs can be run, sanitized and compared bit for
 * bit on a machine without one. Blocks run one after another; the threads of a block are fibers of the calling thread
 * that change places only where they wait for each other (simt.cc), or, in a flat stage, simply one call after another.
 * What is missing here is what the kernels do not use. */
#ifndef KERNELS_CUDA_SIMT_SIMT_H
#define KERNELS_CUDA_SIMT_SIMT_H

#include <stddef.h>
#include <stdint.h>

#include "kernels/cuda/launch.h"

#define __host__
#define __device__
#define DEVICE_FN static inline __attribute__((unused))
#define DEVICE_METHOD inline
#define AT_LEAST(blocks, threads) threads
#define KERNEL_FN(function, threads, Args, name) static void function(const Args name)
#define ROW_BY_ROW()
#define BODY(function, Args) ((const void *)simt_body<Args, function>)

/* A declaration is one place in the memory of a block, however often a thread comes by. It starts as NaNs. */
#define SHARED(type, name, ...) \
    typedef type name##_memory __VA_ARGS__; \
    static const char name##_place = 0; \
    name##_memory &name = *(name##_memory *)simt_shared(&name##_place, sizeof(name##_memory))
#define DYNAMIC_SHARED(type, name) type *const name = (type *)simt_dynamic()

template <typename Args, void (*kernel)(const Args)>
static void simt_body(const void *args) {
    kernel(*(const Args *)args);
}

typedef struct {
    unsigned x, y, z;
} SimtIndex;

struct alignas(16) float4 {
    float x, y, z, w;
};

static inline float4 make_float4(float x, float y, float z, float w) {
    return float4{x, y, z, w};
}

extern __thread SimtIndex threadIdx, blockIdx, blockDim, gridDim; /* __thread: a use needs no call of an accessor */

void *simt_shared(const void *place, size_t bytes);
void *simt_dynamic(void);

/* A thread that waits where others of its block or warp have ended or wait elsewhere is a mistake in a kernel: the
 * program stops with the kernel's name. */
void __syncthreads(void);
void __syncwarp(void);
float __shfl_xor_sync(unsigned lanes, float value, int other);
int __any_sync(unsigned lanes, int holds);
unsigned __ballot_sync(unsigned lanes, int holds);

static inline int __ffs(int word) {
    return __builtin_ffs(word);
}

static inline int atomicAdd(int *to, int value) {
    int old = *to;
    *to += value;
    return old;
}

static inline unsigned long long atomicAdd(unsigned long long *to, unsigned long long value) {
    unsigned long long old = *to;
    *to += value;
    return old;
}

static inline int atomicMin(int *to, int value) {
    int old = *to;
    if (value < old) *to = value;
    return old;
}

#endif
