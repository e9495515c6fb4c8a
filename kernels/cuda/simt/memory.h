/* Memory of the shim's device, closed to the host like a GPU's: it can be touched only between memory_open and
 * memory_close, which surround kernels and copies, and never beyond its last byte. Any other access ends the program by
 * a signal, with a line that says what it was.
 *
 * Pages are closed to the whole process, so each queue opens its own memory alone: queues of several threads do not
 * open or close each other's. */
#ifndef KERNELS_CUDA_SIMT_MEMORY_H
#define KERNELS_CUDA_SIMT_MEMORY_H

#include "base/error.h"

typedef struct Region Region;

typedef struct {
    Region *first;
    int open; /* depth of nested memory_open */
} Memory;

/* Allocate zeroed memory. RC_UNMEASURED: the machine does not have it. */
Rc memory_take(Memory *m, void **at, size_t bytes, Error *e);
void memory_give(Memory *m, void *at);
void memory_release(Memory *m);

/* Open, or close, all memory of m; calls may be nested. */
void memory_open(Memory *m);
void memory_close(Memory *m);

/* Copy into m's memory, or out of it. The program ends if the memory is not m's or is too short. */
void memory_put(const Memory *m, void *to, const void *from, size_t bytes);
void memory_get(const Memory *m, void *to, const void *from, size_t bytes);

#endif
