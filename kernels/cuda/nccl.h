/* NCCL: processes with a CUDA device each exchange memory of their devices, on the devices' own streams. The library is
 * looked for at run time; the program is built without it and starts without it.
 *
 * One Nccl belongs to the device that was the calling thread's when it was made, and is used by one thread at a time.
 * All ranks make the same calls in the same order. `stream` is a cudaStream_t; the calls return when their work is
 * enqueued on it; the caller waits. They return NULL, or the call that failed and NCCL's words for it,
 * which stay until the next failure or nccl_leave; then the ranks have parted and every later call may fail. A rank
 * that is lost may show nowhere but in a stream that never ends: who started the processes must end them. */
#ifndef KERNELS_CUDA_NCCL_H
#define KERNELS_CUDA_NCCL_H

#include "base/error.h"
#include "base/ranks.h"

typedef struct Nccl Nccl;

enum { NCCL_VERSION_SIZE = 24 };

/* Join the processes of `r`, which sends rank 0's id to all. Every rank calls it, and all return RC_OK, or all
 * RC_UNMEASURED with what failed here or that another rank failed (*out is then NULL). A rank that NCCL itself does not
 * let join ends all by Ranks.end, if there is one. library NULL: libnccl.so.2 where the loader looks. */
Rc nccl_meet(Nccl **out, const char *library, const Ranks *r, Error *e);

/* Leave, on every rank, after the work on all streams is done; failed: give up work that may never end. NULL: no-op. */
void nccl_leave(Nccl *n, bool failed);

/* Write NCCL's version ("2.32.3"), which is the same on all ranks. */
void nccl_version(const Nccl *n, char out[NCCL_VERSION_SIZE]);

/* Send mine[bytes] to partner and receive theirs[bytes], in one group. They must not overlap; the partner sends as many
 * bytes. */
const char *nccl_swap(Nccl *n, int partner, const void *mine, void *theirs, size_t bytes, void *stream);

/* Replace at[words] by the sum over all ranks, in the library's order of adds: it depends on NCCL's version, the number
 * of ranks and how their devices are connected. Nothing promises the same bits on every rank. */
const char *nccl_total(Nccl *n, float *at, size_t words, void *stream);

#endif
