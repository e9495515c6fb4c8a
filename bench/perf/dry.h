/* Dry run: count what one training step launches on a CUDA device, without one; derive a lower bound of its time. */
#ifndef BENCH_PERF_DRY_H
#define BENCH_PERF_DRY_H

#include "bench/plan/spec.h"
#include "kernels/backend.h"

/* A device by its vendor's figures, not measured here. */
typedef struct {
    const char *name;
    double flops;      /* float32 outside the tensor cores, per second */
    double tf32, half; /* on the tensor cores, dense: tf32, and bf16 or fp16 factors */
    double bytes;      /* copy speed, per second */
} DryDevice;

enum { DRY_DEVICES = 2 };
extern const DryDevice dry_devices[DRY_DEVICES];

/* Launches of one kernel in one step, all replicas together. */
typedef struct {
    const char *name;
    int launches;
    double flops, bytes;
    double floor[DRY_DEVICES]; /* seconds, without gaps */
} DryKernel;

typedef struct {
    ModelShape shape;
    int replicas, launches;
    double model_flops; /* one replica's step, by tape_flops */
    DryKernel *kernel;  /* in order of first launch */
    int kernels;
} DryStep;

/* Gap between two kernels of a graph, seconds (an estimate for an H200, not measured here). */
#define DRY_GAP 1.3e-6

/* Count a step. backend: from dry_backend (kernels/cuda/dry.h). RC_UNMEASURED: no memory, or a launch that an H200 does
 * not accept. */
Rc dry_step(DryStep *out, const RunSpec *spec, int vocab, int replicas, const Backend *backend, Error *e);
void dry_step_release(DryStep *d);

/* Check that a device accepts the launches of a training step's forward and backward pass (dry_fits of
 * kernels/cuda/dry.h). Nothing is initialized. */
Rc dry_passes_fit(const RunSpec *spec, const ModelShape *shape, int replicas, const Backend *backend, size_t shared,
                  Error *e);

/* Return the lower bound of the whole step on dry_devices[device], with gaps, in seconds. The bound of a kernel is the
 * larger of its FLOPs at the peak and its bytes at copy speed. */
double dry_step_floor(const DryStep *d, int device);

#endif
