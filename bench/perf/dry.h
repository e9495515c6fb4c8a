/* Dry run: count what one training step launches on a CUDA device, without one; derive a lower bound and a modelled
 * time.
 *
 * The model of a launch: the largest of its bytes at copy speed, its FLOPs at the peak and its instructions at one a
 * cycle and scheduler, the latter two on as many of the device's processors as it has blocks. Instructions are
 * estimated from the compiled kernels (bench/perf/instructions.def): per fma of kernels that compute, per number of
 * those that move, with a 16-bit number counted as a float. The model ignores latencies, bank conflicts and caches:
 * for steps of 1 to 15 replicas of 8 x 128 an H100 took two to five times as long as it says of an H200
 * (docs/gpu.md). */
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
    int processors;    /* each with four schedulers */
    double clock;      /* Hz */
} DryDevice;

enum { DRY_DEVICES = 2 };
extern const DryDevice dry_devices[DRY_DEVICES];

/* Launches of one kernel in one step, all replicas together. */
typedef struct {
    const char *name;
    int launches;
    double flops, bytes;
    double instructions;                           /* warps' instructions, estimated; 0: unknown (a library's) */
    double floor[DRY_DEVICES], model[DRY_DEVICES]; /* seconds, without gaps */
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

/* Return the lower bound, or the modelled time, of the whole step on dry_devices[device], with gaps, in seconds. The
 * bound of a kernel is the larger of its FLOPs at the peak and its bytes at copy speed. */
double dry_step_floor(const DryStep *d, int device);
double dry_step_model(const DryStep *d, int device);

#endif
