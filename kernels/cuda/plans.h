/* cuBLASLt: the matrix products of the fast precisions, each by a plan that is made when a product of its kind is
 * first enqueued and kept: an algorithm is chosen once for a shape, never for a call. The library is looked for at run
 * time; the program starts without it. */
#ifndef KERNELS_CUDA_PLANS_H
#define KERNELS_CUDA_PLANS_H

#include "base/error.h"
#include "kernels/cuda/product.h"

enum { PLANS_WORKSPACE = 32 << 20 }; /* bytes of the device that a queue's products share */

/* Of one queue. */
typedef struct Plans Plans;

/* Finds the library, which the other functions need. Once, by one thread. RC_UNMEASURED: why it cannot be had. */
Rc plans_find(Error *e);

/* Of the library that was found. */
void plans_version(int version[3]);

/* For the calling thread's device. compute: a cublasComputeType_t; workspace: PLANS_WORKSPACE bytes of the device.
 * NULL: the library does not start there. */
Plans *plans_open(int compute, void *workspace);

/* NULL: nothing. What was enqueued is done. */
void plans_close(Plans *p);

/* Enqueues x on `stream`, a cudaStream_t. 0, or the library's status. *whole: false: C alone; what else x is to do is
 * left to the caller, since the library has no algorithm that does it along. The same for every product of its kind. */
int plans_product(Plans *p, const Product *x, void *stream, bool *whole);

#endif
