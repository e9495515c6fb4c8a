/* Add partial sums of gradients (kernels/addition.h) over the passes of a batch and the ranks that share it. */
#include "kernels/cuda/step_launch.h"

#include "kernels/cuda/fours.cuh"

KERNEL_FN(add, THREADS, Addition, a) {
    const Fours here = fours_of(a.words);
    float x[FOUR];
    if (!here.exist) return;
    read_fours(x, a.x, here);
    put_fours(a.y, x, here, !a.copies);
}

static Grid each_word(const Addition *a) {
    Grid g = {ceil_of(a->words, THREADS * FOUR), 1, 1, THREADS, 0};
    return g;
}

extern "C" const AddLaunch SYMBOL(add);
extern "C" const AddLaunch SYMBOL(add) = {"add", BODY(add, Addition), each_word};
