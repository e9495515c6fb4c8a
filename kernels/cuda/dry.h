/* A device that notes what would be launched and computes nothing: the launch count, FLOPs and bytes of a training step
 * where there is no CUDA device. It goes through the same host code and the same stage tables as a device. */
#ifndef KERNELS_CUDA_DRY_H
#define KERNELS_CUDA_DRY_H

#include "kernels/backend.h"
#include "kernels/cuda/launch.h"

typedef struct {
    const char *name;
    Grid grid;
    double flops, bytes;   /* of all replicas; bytes: every tensor that the kernel touches, read or written once */
    double numbers;        /* that stand there */
    bool narrow;           /* a product by the library or by us whose factors may be narrower than a float */
    size_t largest;        /* numbers of the largest tensor of its op, or two */
    const char *beside;    /* of a fusion: the kernel whose instructions come beside those of the FLOPs; NULL: none */
    double beside_numbers; /* that it touches by itself */
} Note;

/* The backend that notes for "cuda", or for "cuda-" and a precision; NULL for other names. Not in backends[]: it
 * computes nothing. */
const Backend *dry_backend(const char *name);

/* The one of "cuda" that notes in a precision; NULL: there is none. */
const Backend *dry_precise(PrecisionKind p);

/* What a recorded graph launches, in order. */
const Note *dry_notes(const Graph *g, size_t *count);

/* Whether a device takes every launch, whose blocks can have `shared` bytes of shared memory: RC_UNMEASURED and the
 * first kernel whose grid it cannot have, or whose tensors have 2^31 numbers or more. */
Rc dry_fits(const Graph *g, size_t shared, Error *e);

#endif
