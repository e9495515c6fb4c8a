/* What one training step asks of a device, from the same stages that are launched; no device is needed. */
#ifndef TESTS_GPU_COUNT_H
#define TESTS_GPU_COUNT_H

#include "models/trainer_state.h"

enum { MOST_KERNELS = 160 };

/* Of all replicas. bytes: read or written once by each kernel, a floor. */
typedef struct {
    const char *name;
    int launches;
    double flops, bytes;
} KernelWork;

typedef struct {
    KernelWork kernel[MOST_KERNELS]; /* in the order of their first launch */
    int kernels, launches;
    double bytes;
} Work;

/* Of a trainer whose corpus stands on the device. library: linear's products are a library's, a call for
 * each replica. */
Work work_of(const Trainer *t, bool library);

#endif
