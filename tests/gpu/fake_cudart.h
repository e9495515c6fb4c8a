/* A CUDA runtime and a cuBLASLt of the tests' own: kernels/cuda/device.c itself runs against them, and what it launches
 * are the shim's kernels. Everything is done at once; what is recorded is done when its graph is launched. */
#ifndef TESTS_GPU_FAKE_CUDART_H
#define TESTS_GPU_FAKE_CUDART_H

#include <stdbool.h>
#include <stddef.h>

/* What the library says of an algorithm for several products at once. */
typedef enum { MANY_are_done, MANY_are_refused, MANY_need_more_room } Many;

/* What the device does from now on. */
typedef struct {
    size_t memory; /* bytes left */
    int fails_at;  /* the launch from now on whose kernel fails, which comes to light later; 0: none */
    bool without_blas;
    unsigned refused; /* a set of cublasLtEpilogue_t for which the library has no algorithm */
    Many many;
} FakeCuda;

extern FakeCuda fake_cuda;

/* What was asked of it. */
typedef struct {
    int launches, graphs, events, attributes; /* graphs: that were launched; attributes: limits of shared memory set */
    size_t largest_attribute;
    int heuristics, again; /* algorithms asked for; those among them that had been asked for on that handle before */
    int epilogues;         /* products enqueued that did more than C */
    int most_products;     /* in one call */
    int open; /* streams, events, graphs, blocks of memory and the library's things that were not given back */
} FakeSeen;

extern FakeSeen fake_seen;

/* A sound device with 1 GiB, of which nothing was asked. */
void fake_reset(void);

#endif
