/* Kernels whose threads take FOUR neighbours of a tensor each: one read or write of 128 bits if all exist and are
 * aligned to 16 bytes, as the first number of every tensor of a tape is. */
#ifndef KERNELS_CUDA_FOURS_CUH
#define KERNELS_CUDA_FOURS_CUH

#include "kernels/cuda/device.cuh"

enum { FOUR = 4 };

/* This thread's share of n numbers: `exist` (0 to FOUR) from `first` on. */
typedef struct {
    size_t first;
    int exist;
} Fours;

DEVICE_FN Fours fours_of(size_t n) {
    Fours f = {((size_t)blockIdx.x * THREADS + threadIdx.x) * FOUR, FOUR};
    if (f.first + FOUR > n) f.exist = f.first < n ? (int)(n - f.first) : 0;
    return f;
}

DEVICE_FN Fours fours_of(const View v) {
    return fours_of((size_t)v.rows * (size_t)v.cols);
}

/* Call each(first, by) for this thread's share of v: `by` neighbours of one row from number `first` on, FOUR, or one if
 * the width of rows is no multiple of FOUR. */
template <typename Each>
DEVICE_FN void each_in_row(const View v, const Each &each) {
    const int by = v.cols % FOUR ? 1 : (int)FOUR;
    const Fours here = fours_of(v);
#pragma unroll 1
    for (int k = 0; k < here.exist; k += by) each((int)here.first + k, by);
}

/* Load a share; numbers that do not exist are 0. */
template <typename From>
DEVICE_FN void read_fours(float (&x)[FOUR], const From *tensor, Fours f) {
    const From *from = tensor + f.first;
    if (f.exist == FOUR && lies_by(from, 0, FOUR))
        load(x, from);
    else
#pragma unroll
        for (int i = 0; i < FOUR; i++) x[i] = i < f.exist ? (float)from[i] : 0;
}

template <typename To>
DEVICE_FN void put_fours(To tensor, const float (&x)[FOUR], Fours f, bool accumulate) {
    const To to = tensor + f.first;
    float sum[FOUR];
    if (f.exist < FOUR || !lies_by(to, 0, FOUR)) {
#pragma unroll
        for (int i = 0; i < FOUR; i++)
            if (i < f.exist) put(to + i, x[i], accumulate);
        return;
    }
    if (accumulate) load(sum, to);
#pragma unroll
    for (int i = 0; i < FOUR; i++) sum[i] = accumulate ? sum[i] + x[i] : x[i];
    store(to, sum);
}

/* Launch a thread for every FOUR numbers (host side). */
static inline Grid grid_of_fours(const Call *c, size_t n) {
    return grid_of(c, (n + FOUR - 1) / FOUR);
}

static inline Grid each_four(const Call *c) {
    return grid_of_fours(c, (size_t)c->out.rows * (size_t)c->out.cols);
}

static inline Grid each_four_back(const Call *c) {
    return c->din[0].at ? each_four(c) : no_grid();
}

#endif
