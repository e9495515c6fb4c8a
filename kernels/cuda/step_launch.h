/* The kernels of a training step, of rounding and of partial sums, as launches: what launch.h is for ops. Shared by C
 * and CUDA. */
#ifndef KERNELS_CUDA_STEP_LAUNCH_H
#define KERNELS_CUDA_STEP_LAUNCH_H

#include "kernels/addition.h"
#include "kernels/cuda/launch.h"
#include "kernels/rounding.h"
#include "kernels/step.h"

typedef struct {
    const char *name;
    const void *body; /* takes one Step by value */
    Grid (*grid)(const Step *s);
    double (*bytes)(const Step *s); /* of one replica; NULL: next to nothing */
    bool flat;
} StepLaunch;

typedef struct {
    const char *name;
    const void *body; /* takes one Rounding by value */
    Grid (*grid)(const Rounding *c);
} RoundLaunch;

typedef struct {
    const char *name;
    const void *body; /* takes one Addition by value */
    Grid (*grid)(const Addition *a);
} AddLaunch;

#endif
