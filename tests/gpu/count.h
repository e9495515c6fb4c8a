/* What one training step asks of a device, from the same stages that are launched; no device is needed. */
#ifndef TESTS_GPU_COUNT_H
#define TESTS_GPU_COUNT_H

#include "tests/gpu/table.h"

enum { KERNELS_MAX = 160 };

/* Of all replicas. bytes: read or written once by each kernel, a floor. */
typedef struct {
    const char *name;
    int launches;
    double flops, bytes;
} KernelWork;

typedef struct {
    KernelWork kernel[KERNELS_MAX]; /* in the order of their first launch */
    int kernels, launches;
    double bytes;
} Work;

/* Of a group as group_init makes it. */
Rc work_of(Work *out, const Backend *backend, bool small, int arm, int replicas, const ProbeChoice *probes, Error *e);

#endif
