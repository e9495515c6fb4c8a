/* The kernels of a training step as launches: what launch.h is for ops. Shared by C and CUDA. */
#ifndef KERNELS_CUDA_STEP_LAUNCH_H
#define KERNELS_CUDA_STEP_LAUNCH_H

#include "kernels/cuda/launch.h"
#include "kernels/step.h"

typedef struct {
    const char *name;
    const void *body; /* takes one Step by value */
    Grid (*grid)(const Step *s);
    double (*bytes)(const Step *s); /* of one replica; NULL: next to nothing */
    bool flat;
} StepLaunch;

#endif
