/* One block of two warps; each kernel writes out[thread] if it gets that far. */
#include "tests/kernels/simt_wrong.h"

#include "kernels/cuda/simt/simt.h"

enum { N = WRONG_THREADS, WARP = 32 };
#define ALL 0xffffffffu

typedef struct {
    float *out;
} Args;

#define WRONG(name) KERNEL_FN(name, N, Args, a)

static unsigned me(void) {
    return threadIdx.x;
}

/* Nothing wrong: neighbours hand each other numbers through memory, then through lanes. */
WRONG(right) {
    SHARED(float, x, [N]);
    x[me()] = (float)me();
    __syncthreads();
    float y = x[N - 1 - me()];
    a.out[me()] = y + __shfl_xor_sync(ALL, y, 1);
}

WRONG(no_barrier) {
    SHARED(float, x, [1]);
    x[0] = (float)me();
    __syncwarp(); /* which is not a barrier of the block */
    a.out[me()] = x[0];
}

WRONG(one_place_for_all) {
    a.out[0] = (float)me();
    if (me()) a.out[me()] = 0;
}

WRONG(sum_without_atomics) {
    SHARED(float, sum, [1]);
    if (me() == 0) sum[0] = 0;
    __syncthreads();
    float old = sum[0];
    __syncwarp();
    sum[0] = old + (float)(me() + 1);
    __syncthreads();
    a.out[me()] = sum[0];
}

static float neighbour(float mine) {
    SHARED(float, x, [N]);
    x[me()] = mine; /* a barrier is missing before: some thread may still read what the call before wrote */
    __syncthreads();
    return x[(me() + 1) % N];
}

WRONG(memory_taken_again_too_early) {
    float first = neighbour((float)me());
    a.out[me()] = first + neighbour(1000 * (float)me());
}

WRONG(unwritten) {
    SHARED(float, x, [N]);
    if (me() % 2) x[me()] = 1;
    __syncthreads();
    a.out[me()] = x[me()];
}

WRONG(unwritten_dynamic) {
    DYNAMIC_SHARED(float, x);
    if (me() < N - 1) x[me()] = 1;
    __syncthreads();
    a.out[me()] = x[me()];
}

WRONG(barrier_of_some) {
    if (me() < 48) __syncthreads();
    a.out[me()] = 0;
}

WRONG(barrier_of_one_warp) {
    if (me() < WARP) __syncthreads();
    a.out[me()] = 0;
}

WRONG(different_places) {
    if (me() % 2)
        __syncthreads();
    else
        __syncwarp();
    a.out[me()] = 0;
}

WRONG(lane_that_ended) {
    if (me() == 40) return;
    a.out[me()] = __shfl_xor_sync(ALL, 1, 16);
}

WRONG(half_a_warp) {
    a.out[me()] = __shfl_xor_sync(0xffffu, 1, 1);
}

WRONG(flat_that_waits) {
    __syncthreads();
    a.out[me()] = 0;
}

WRONG(flat_that_shares) {
    SHARED(float, x, [N]);
    a.out[me()] = x[me()] = 0;
}

WRONG(too_much_memory) {
    SHARED(float, x, [26 << 10]);
    a.out[me()] = x[me()] = 0;
}

WRONG(beyond_its_memory) {
    SHARED(float, x, [N]);
    float *next = x + 1;
    next[me()] = 1;
    __syncthreads();
    a.out[me()] = 0;
}

#define ROW(name, flat, symptom, says) \
    { #name, BODY(name, Args), flat, symptom, says }

const Wrong simt_wrong[WRONG_COUNT] = {
    ROW(right, false, RIGHT, nullptr),
    ROW(no_barrier, false, DIFFERS, nullptr),
    ROW(one_place_for_all, true, DIFFERS, nullptr),
    ROW(sum_without_atomics, false, DIFFERS, nullptr),
    ROW(memory_taken_again_too_early, false, DIFFERS, nullptr),
    ROW(unwritten, false, NANS, nullptr),
    ROW(unwritten_dynamic, false, NANS, nullptr),
    ROW(barrier_of_some, false, STOPS, "some threads ended before a barrier of the block"),
    ROW(barrier_of_one_warp, false, STOPS, "some threads ended before a barrier of the block"),
    ROW(different_places, false, STOPS, "its threads wait for each other in different places"),
    ROW(lane_that_ended, false, STOPS, "some lanes ended before an exchange of their warp"),
    ROW(half_a_warp, false, STOPS, "only whole warps exchange"),
    ROW(flat_that_waits, true, STOPS, "a flat stage has no thread to wait for"),
    ROW(flat_that_shares, true, STOPS, "a flat stage has no memory to share"),
    ROW(too_much_memory, false, STOPS, "more shared memory than a block has"),
    ROW(beyond_its_memory, false, SANITIZED_ONLY, nullptr),
};
