/* The SIMT shim: CUDA kernels as plain C++, so that the code a device runs can be run, sanitized and compared bit for
 * bit on a machine without one. Blocks run one after another, or a few at a time by turns (run.h); the threads of
 * a block are fibers of the calling thread that switch only where they wait for each other (simt.cc), or, in a flat
 * stage, one call after another. A device's rules are checked for places of exchanges (below), launches (limits.h),
 * memory (memory.h) and scratch (run.h). Only what the kernels use is here. */
#ifndef KERNELS_CUDA_SIMT_SIMT_H
#define KERNELS_CUDA_SIMT_SIMT_H

#include <stddef.h>
#include <stdint.h>

#include "kernels/cuda/launch.h"
#include "kernels/cuda/simt/run.h"

#define __host__
#define __device__
#define DEVICE_FN static inline __attribute__((unused))
#define DEVICE_METHOD inline __attribute__((always_inline)) /* structs of one name differ between files */
#define AT_LEAST(blocks, threads) threads, blocks
/* The launch bounds travel in the function's type. */
#define KERNEL_FN(function, threads, Args, name) static void function(const Args name, SimtBounds<threads>)
#define ROW_BY_ROW()
#define BODY(function, Args) ((const void *)&SimtBody<Args, decltype(simt_bounds<Args>(function)), function>::kernel)

/* Declare one object in a block's memory, however often a thread passes the declaration. It starts as NaNs. */
#define SHARED(type, name, ...) \
    typedef type name##_memory __VA_ARGS__; \
    static const char name##_place = 0; \
    name##_memory &name = *(name##_memory *)simt_shared(&name##_place, sizeof(name##_memory))
#define DYNAMIC_SHARED(type, name) type *const name = (type *)simt_dynamic()

template <unsigned Threads, unsigned Blocks = 0> struct SimtBounds {
    static constexpr unsigned threads = Threads, blocks = Blocks;
};

/* Declared for its type alone. */
template <typename Args, unsigned Threads, unsigned Blocks>
SimtBounds<Threads, Blocks> simt_bounds(void (*)(const Args, SimtBounds<Threads, Blocks>));

template <typename Args, typename Bounds, void (*function)(const Args, Bounds)> struct SimtBody {
    static void call(const void *args) {
        function(*(const Args *)args, Bounds());
    }
    static constexpr SimtKernel kernel = {call, Bounds::threads, Bounds::blocks};
};
template <typename Args, typename Bounds, void (*function)(const Args, Bounds)>
constexpr SimtKernel SimtBody<Args, Bounds, function>::kernel; /* C++14 asks for it */

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

/* A place in a kernel's source and the exchange made there, identified by address; one line may have several. The
 * return address of the call would not do: a compiler may merge two calls, or duplicate one. */
struct SimtPlace {
    const char *what, *file;
    int line;
};
#define SIMT_HERE(what) \
    ([]() -> const SimtPlace * { \
        static const SimtPlace here = {what, __FILE__, __LINE__}; \
        return &here; \
    }())

/* Stack of the calls of functions that exchange, the innermost first; path: hash of the whole stack. */
struct SimtCall {
    const SimtPlace *const at;
    const SimtCall *const from;
    const size_t path;
    explicit SimtCall(const SimtPlace *here);
    ~SimtCall();
    SimtCall(const SimtCall &) = delete;
    SimtCall &operator=(const SimtCall &) = delete;
};
extern __thread const SimtCall *simt_called;
static inline size_t simt_path(const SimtPlace *here) {
    return (simt_called ? simt_called->path * 1000003 : 0) + (size_t)here;
}
inline SimtCall::SimtCall(const SimtPlace *here) : at(here), from(simt_called), path(simt_path(here)) {
    simt_called = this;
}
inline SimtCall::~SimtCall() {
    simt_called = from;
}

/* Make each call of such a function a place of its own: #define f(...) SIMT_CALL(f, __VA_ARGS__), after f. */
#define SIMT_CALL(function, ...) \
    ([&] { \
        const SimtCall simt_call(SIMT_HERE(#function)); \
        return function(__VA_ARGS__); \
    }())

/* Wait for other threads. If others of the block or warp have ended or wait elsewhere, the kernel is wrong: the program
 * stops with its name and the two places. */
#define __syncthreads() simt_syncthreads(SIMT_HERE("__syncthreads"))
#define __syncwarp() simt_syncwarp(SIMT_HERE("__syncwarp"))
#define __shfl_xor_sync(lanes, value, other) simt_shfl_xor(SIMT_HERE("__shfl_xor_sync"), lanes, value, other)
#define __any_sync(lanes, holds) simt_any(SIMT_HERE("__any_sync"), lanes, holds)
#define __ballot_sync(lanes, holds) simt_ballot(SIMT_HERE("__ballot_sync"), lanes, holds)
void simt_syncthreads(const SimtPlace *here);
void simt_syncwarp(const SimtPlace *here);
float simt_shfl_xor(const SimtPlace *here, unsigned lanes, float value, int other);
int simt_any(const SimtPlace *here, unsigned lanes, int holds);
unsigned simt_ballot(const SimtPlace *here, unsigned lanes, int holds);

/* Exchange the numbers that lanes of a warp give to an mma.sync (mma.h), up to SIMT_FACTORS: lane l's begin at
 * l * SIMT_FACTORS. */
enum { SIMT_FACTORS = 12 };
const float *simt_factors(const SimtPlace *here, const float *own, int count);

/* Stop the program because of a mistake in a kernel. */
[[noreturn]] void simt_mistake(const char *what);

static inline int __ffs(int word) {
    return __builtin_ffs(word);
}

static inline int __popc(unsigned word) {
    return __builtin_popcount(word);
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
