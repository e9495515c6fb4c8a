/* What one training step would launch on a CUDA device, counted where there is none, and the floor that implies. */
#ifndef BENCH_PERF_DRY_H
#define BENCH_PERF_DRY_H

#include "bench/plan/spec.h"
#include "kernels/backend.h"

/* Launches of one kernel in one step, all replicas together. */
typedef struct {
    const char *name;
    int launches;
    double flops, bytes;
} DryKernel;

typedef struct {
    ModelShape shape;
    int replicas, launches;
    double model_flops; /* of one replica's step, by tape_flops */
    DryKernel *kernel;  /* in order of first launch */
    int kernels;
} DryStep;

/* A device by its vendor's figures, not measured here: float32 outside the tensor cores, copy speed. */
typedef struct {
    const char *name;
    double flops, bytes; /* per second */
} DryDevice;

extern const DryDevice dry_devices[];
extern const int dry_device_count;

/* Between two kernels of a graph, seconds (an estimate for an H200, not measured here). */
#define DRY_GAP 1.3e-6

/* backend is one of dry_backend (kernels/cuda/dry.h). RC_UNMEASURED: no memory, or a launch that an H200 does not
 * take. */
Rc dry_step(DryStep *out, const RunSpec *spec, int vocab, int replicas, const Backend *backend, Error *e);
void dry_step_release(DryStep *d);

/* Whether a device takes the launches of a training step's forward and backward pass (dry_fits of kernels/cuda/dry.h).
 * Nothing is initialized. */
Rc dry_passes_fit(const RunSpec *spec, const ModelShape *shape, int replicas, const Backend *backend, size_t shared,
                  Error *e);

/* The larger of FLOPs at the peak and bytes at copy speed, seconds; with the gaps for a whole step. */
double dry_floor(const DryKernel *k, const DryDevice *on);
double dry_step_floor(const DryStep *d, const DryDevice *on);

#endif
