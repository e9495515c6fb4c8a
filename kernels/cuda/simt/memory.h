/* Memory of the shim's device, out of the host's reach as a GPU's is: it can be touched only between memory_open and
 * memory_close, which kernels and copies stand in, and beyond its last byte never. Whoever does otherwise ends as on a
 * device, by a signal, with a line that says what it was.
 *
 * Pages are closed to the whole process, so each queue opens its own memory alone: queues of several threads do not
 * open or close each other's. */
#ifndef KERNELS_CUDA_SIMT_MEMORY_H
#define KERNELS_CUDA_SIMT_MEMORY_H

#include "base/error.h"

typedef struct Region Region;

typedef struct {
    Region *first;
    int open; /* how often */
} Memory;

/* Zeroed. RC_UNMEASURED when the machine does not have it. */
Rc memory_take(Memory *m, void **at, size_t bytes, Error *e);
void memory_give(Memory *m, void *at);
void memory_release(Memory *m);

/* All of it; may be nested. */
void memory_open(Memory *m);
void memory_close(Memory *m);

/* One copy: into its memory, or out of it. That the memory is not m's, or not long enough, ends the program. */
void memory_put(const Memory *m, void *to, const void *from, size_t bytes);
void memory_get(const Memory *m, void *to, const void *from, size_t bytes);

#endif
