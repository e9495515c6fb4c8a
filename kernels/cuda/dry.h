/* A device that notes launches and computes nothing: it gives the launch count, FLOPs and bytes of a training step on a
 * machine without CUDA. It uses the same host code and stage tables as a device. */
#ifndef KERNELS_CUDA_DRY_H
#define KERNELS_CUDA_DRY_H

#include "kernels/backend.h"
#include "kernels/cuda/launch.h"

typedef struct {
    const char *name;
    Grid grid;
    double flops, bytes;   /* totals of all replicas; bytes: every tensor that the kernel touches, counted once */
    double numbers;        /* numbers in those bytes */
    bool narrow;           /* a matrix product (library's or ours) whose factors may be narrower than a float */
    size_t largest;        /* numbers in the largest tensor of its op or ops */
    const char *beside;    /* fusion: the kernel whose instructions are not counted in `flops`; NULL: none */
    double beside_numbers; /* numbers that `beside` touches by itself */
} Note;

/* Return the backend that notes for "cuda" or "cuda-<precision>"; NULL for other names. It computes nothing, so it is
 * not in backends[]. */
const Backend *dry_backend(const char *name);

/* Return the backend that notes for "cuda" in a precision; NULL: there is none. */
const Backend *dry_precise(PrecisionKind p);

/* Return the launches of a recorded graph, in order. */
const Note *dry_notes(const Graph *g, size_t *count);

/* Check that a device with `shared` bytes of shared memory per block accepts every launch. RC_UNMEASURED names the
 * first kernel whose grid is too large or whose tensors have 2^31 numbers or more. */
Rc dry_fits(const Graph *g, size_t shared, Error *e);

#endif
