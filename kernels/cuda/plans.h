/* cuBLASLt: the matrix products of the fast precisions, each by a plan that is made and kept when a product of its kind
 * is first enqueued: an algorithm is chosen once for a shape, never for a call. The library is looked for at run
 * time; the program starts without it. */
#ifndef KERNELS_CUDA_PLANS_H
#define KERNELS_CUDA_PLANS_H

#include "base/error.h"
#include "kernels/cuda/product.h"

enum { PLANS_WORKSPACE = 32 << 20 }; /* bytes of the device that a queue's products share */

/* Plans of one queue. */
typedef struct Plans Plans;

/* Find the library, which the other functions need: once, by one thread. RC_UNMEASURED: why it cannot be loaded. */
Rc plans_find(Error *e);

/* Write the version of the library that was found. */
void plans_version(int version[3]);

/* Start the library on the calling thread's device. compute: a cublasComputeType_t; workspace: PLANS_WORKSPACE bytes of
 * the device. NULL: it does not start. */
Plans *plans_open(int compute, void *workspace);

/* Release p (NULL: no-op) after everything enqueued is done. */
void plans_close(Plans *p);

/* Enqueue x on `stream`, a cudaStream_t. Return 0 or the library's status. *whole false: the library has no algorithm
 * that also does x's bias or dbias, so the caller must; this holds for every product of its kind. */
int plans_product(Plans *p, const Product *x, void *stream, bool *whole);

#endif
