/* Partial sums of gradients (kernels/addition.h): of the passes of a batch, and of the ranks that share it. */
#include "kernels/cuda/step_launch.h"

#include "kernels/cuda/device.cuh"

KERNEL_FN(add, THREADS, Addition, a) {
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (i < a.words) a.y[i] = a.copies ? a.x[i] : a.y[i] + a.x[i];
}

static Grid each_word(const Addition *a) {
    Grid g = {ceil_of(a->words, THREADS), 1, 1, THREADS, 0};
    return g;
}

extern "C" const AddLaunch SYMBOL(add);
extern "C" const AddLaunch SYMBOL(add) = {"add", BODY(add, Addition), each_word};
