/* Blocks of two warps, mostly one; each kernel writes out[thread] if it gets that far. */
#include "tests/kernels/simt_wrong.h"

#include "kernels/cuda/mma.cuh"

enum { N = WRONG_THREADS };
#define ALL ALL_LANES

#define WRONG(name) KERNEL_FN(name, N, WrongArgs, a)

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

WRONG(too_much_declared) {
    SHARED(float, x, [6 << 10]);
    SHARED(float, y, [7 << 10]);
    a.out[me()] = x[me()] = y[me()] = 0;
}

/* What is declared and what is given together. */
WRONG(too_much_memory) {
    SHARED(float, x, [11 << 10]);
    a.out[me()] = x[me()] = 0;
}

WRONG(any_grid) {
    a.out[me()] = 0;
}

KERNEL_FN(bounds_of_all_threads, 2048, WrongArgs, a) {
    a.out[me()] = 0;
}

KERNEL_FN(more_blocks_than_a_processor_holds, AT_LEAST(33, WARP), WrongArgs, a) {
    a.out[me()] = 0;
}

KERNEL_FN(more_threads_than_a_processor_holds, AT_LEAST(3, 1024), WrongArgs, a) {
    a.out[me()] = 0;
}

/* Half of each warp goes another way, and both ways have as many exchanges. */
WRONG(different_kinds) {
    bool low = lane_id() < WARP / 2;
    a.out[me()] = low ? __shfl_xor_sync(ALL, 1, 1) : (float)__ballot_sync(ALL, 1);
}

WRONG(different_sums) {
    const float x[WARP] = {1};
    if (lane_id() < WARP / 2)
        a.out[me()] = row_sum(x, WARP);
    else
        a.out[me()] = row_sum(x, WARP - 1);
}

/* On one line of the source. */
WRONG(different_sums_in_a_line) {
    const float x[WARP] = {1};
    a.out[me()] = lane_id() % 2 ? row_sum(x, WARP) : row_sum(x, WARP);
}

WRONG(different_barriers) {
    if (me() < WARP)
        __syncthreads();
    else
        __syncthreads();
    a.out[me()] = 0;
}

/* On the tensor cores. */
static void multiply(float factor) {
    const uint32_t left[4] = {canon_to_bits(factor), 0, 0, 0};
    float sum[4] = {0, 0, 0, 0};
    mma(Tf32(), sum, left, Words{0, 0});
}

WRONG(different_products) {
    if (lane_id() < WARP / 2)
        SIMT_CALL(multiply, 1);
    else
        SIMT_CALL(multiply, 1);
    a.out[me()] = 0;
}

/* A device would not look at the lower digits. */
WRONG(factor_not_rounded) {
    multiply(1.0001f);
    a.out[me()] = 0;
}

WRONG(flat_that_multiplies) {
    multiply(1);
    a.out[me()] = 0;
}

/* A sum in the place of a largest number, as long as it. */
WRONG(sum_meets_largest) {
    a.out[me()] = me() % WARP ? fold((float)me()) : fold_max((float)me());
}

WRONG(left_by_another_op) {
    a.out[me()] = a.scratch[me()];
}

/* A stage may read what a stage of its op wrote, and no more. */
WRONG(written_by_halves) {
    if (me() % 2) a.scratch[me()] = 1;
    __syncthreads();
    a.out[me()] = a.scratch[me()];
}

/* Memory that was meant to be a block's, and is everybody's: it holds while blocks run one after another. */
static float everybodys[N];

WRONG(memory_of_all_blocks) {
    everybodys[me()] = (float)(blockIdx.x * N + me());
    __syncthreads();
    a.out[blockIdx.x * N + me()] = everybodys[N - 1 - me()];
}

/* A right kernel of several blocks, which share nothing. */
WRONG(right_blocks) {
    SHARED(float, x, [N]);
    DYNAMIC_SHARED(float, y);
    x[me()] = (float)(blockIdx.x * N + me());
    y[N - 1 - me()] = row_sum(a.scratch, 0) + (float)me();
    __syncthreads();
    a.out[blockIdx.x * N + me()] = x[N - 1 - me()] + y[me()] + fold_max(x[me()]);
}

WRONG(beyond_its_memory) {
    SHARED(float, x, [N]);
    float *next = x + 1;
    next[me()] = 1;
    __syncthreads();
    a.out[me()] = 0;
}

#define ROW(name, flat, symptom, ...) \
    { #name, BODY(name, WrongArgs), flat, symptom, __VA_ARGS__ }
#define ONE \
    { 0, 0, 0, 0, 0 }
#define SEVERAL \
    { WRONG_BLOCKS, 1, 1, N, N * sizeof(float) }

const Wrong simt_wrong[WRONG_COUNT] = {
    ROW(right, false, RIGHT, nullptr, ONE),
    ROW(no_barrier, false, DIFFERS, nullptr, ONE),
    ROW(one_place_for_all, true, DIFFERS, nullptr, ONE),
    ROW(sum_without_atomics, false, DIFFERS, nullptr, ONE),
    ROW(memory_taken_again_too_early, false, DIFFERS, nullptr, ONE),
    ROW(unwritten, false, NANS, nullptr, ONE),
    ROW(unwritten_dynamic, false, NANS, nullptr, ONE),
    ROW(barrier_of_some, false, STOPS, "some threads ended before a barrier of the block", ONE),
    ROW(barrier_of_one_warp, false, STOPS, "some threads ended before a barrier of the block", ONE),
    ROW(different_places, false, STOPS, "its threads wait for each other in different places", ONE),
    ROW(lane_that_ended, false, STOPS, "some lanes ended before an exchange of their warp", ONE),
    ROW(half_a_warp, false, STOPS, "only whole warps exchange", ONE),
    ROW(flat_that_waits, true, STOPS, "a flat stage has no thread to wait for", ONE),
    ROW(flat_that_shares, true, STOPS, "a flat stage has no memory to share", ONE),
    ROW(too_much_declared, false, STOPS, "declared shared memory of a block: 53248, and sm_80 allows 49152", ONE),
    ROW(too_much_memory, false, STOPS, "bytes of shared memory of a block: 167936, and sm_80 allows 166912",
        {1, 1, 1, N, 120 << 10}),
    ROW(beyond_its_memory, false, SANITIZED_ONLY, nullptr, ONE),
    ROW(different_kinds, false, STOPS, "lanes 0 and 16 of a warp meet in different places: __shfl_xor_sync at ", ONE),
    ROW(different_sums, false, STOPS, "lanes 0 and 16 of a warp meet in different places: __shfl_xor_sync at ", ONE),
    ROW(different_sums_in_a_line, false, STOPS, "lanes 0 and 1 of a warp meet in different places: ", ONE),
    ROW(different_barriers, false, STOPS, "threads 0 and 32 of a block meet in different places: __syncthreads at ",
        ONE),
    ROW(sum_meets_largest, false, STOPS, "lanes 0 and 1 of a warp meet in different places: ", ONE),
    ROW(different_products, false, STOPS, "lanes 0 and 16 of a warp meet in different places: mma at ", ONE),
    ROW(factor_not_rounded, false, STOPS, "a factor of mma.sync is not rounded to tf32", ONE),
    ROW(flat_that_multiplies, true, STOPS, "a flat stage has no lanes to multiply with", ONE),
    ROW(left_by_another_op, true, NANS, nullptr, ONE),
    ROW(written_by_halves, false, NANS, nullptr, ONE),
    ROW(memory_of_all_blocks, false, DIFFERS_TOGETHER, nullptr, SEVERAL),
    ROW(right_blocks, false, RIGHT, nullptr, SEVERAL),
    ROW(any_grid, true, REFUSED, "blocks of the grid in y: 65536, and sm_80 allows 65535", {1, 65536, 1, N, 0}),
    ROW(any_grid, true, REFUSED, "blocks of the grid in x: 2147483648, and sm_80 allows 2147483647",
        {1u << 31, 1, 1, N, 0}),
    ROW(any_grid, true, REFUSED, "threads of a block: 65, and its launch bounds say 64", {1, 1, 1, N + 1, 0}),
    ROW(any_grid, true, REFUSED, "a grid of 1 x 1 x 0 blocks of 64 threads has none", {1, 1, 0, N, 0}),
    ROW(bounds_of_all_threads, true, REFUSED, "threads of a block: 1025, and sm_80 allows 1024", {1, 1, 1, 1025, 0}),
    ROW(more_blocks_than_a_processor_holds, true, REFUSED,
        "blocks that the launch bounds keep on a processor: 33, and sm_80 allows 32", {1, 1, 1, WARP, 0}),
    ROW(more_threads_than_a_processor_holds, true, REFUSED,
        "threads that the launch bounds keep on a processor: 3072, and sm_80 allows 2048", ONE),
};
