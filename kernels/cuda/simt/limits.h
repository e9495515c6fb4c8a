/* What a device refuses to launch, or a compiler to fit: the limits of the two processors that kernels are made for
 * first. The shim, which could run anything, holds every launch to both. */
#ifndef KERNELS_CUDA_SIMT_LIMITS_H
#define KERNELS_CUDA_SIMT_LIMITS_H

#include "kernels/cuda/simt/run.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SIMT_WHY = 160 };

/* Whether the grid may be launched; why names the limit and whose it is.
 *
 * Registers are known to nvcc alone. Launch bounds make it leave a thread no more than fit: what can go wrong without
 * it is a block of more threads than the bounds say, and bounds that no processor can hold. How many registers a kernel
 * takes, and whether it spills, is cuda_build's to check (-Dgpu_strict). */
bool simt_may_launch(char why[SIMT_WHY], const SimtKernel *k, Grid g);

/* Whether a block may have so many bytes of shared memory: declared in the kernel, and given to its launch. */
bool simt_may_share(char why[SIMT_WHY], size_t declared, size_t given);

#ifdef __cplusplus
}
#endif

#endif
