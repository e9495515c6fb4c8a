/* Add partial sums of gradients on a device: y[i] += x[i]; if `copies`, y[i] = x[i], which keeps the sign of a zero.
 * Shared by C and CUDA. */
#ifndef KERNELS_ADDITION_H
#define KERNELS_ADDITION_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    float *y;
    const float *x; /* does not overlap y */
    size_t words;
    bool copies;
} Addition;

#endif
