/* Limits of launches on the two processors that kernels are made for first (sm_80 and sm_90). The shim, which could run
 * anything, checks every launch against both. */
#ifndef KERNELS_CUDA_SIMT_LIMITS_H
#define KERNELS_CUDA_SIMT_LIMITS_H

#include "kernels/cuda/simt/run.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SIMT_WHY = 160 };

/* Return true if the grid may be launched; otherwise `why` names the limit and its processor.
 *
 * Only nvcc knows registers, and launch bounds make it use no more than fit. So the shim checks that a block has no
 * more threads than the bounds say and that a processor can hold the bounds; cuda_build checks registers and spills
 * (-Dgpu_strict). */
bool simt_may_launch(char why[SIMT_WHY], const SimtKernel *k, Grid g);

/* Return true if a block may have these bytes of shared memory: declared in the kernel, and given at launch. */
bool simt_may_share(char why[SIMT_WHY], size_t declared, size_t given);

#ifdef __cplusplus
}
#endif

#endif
