/* A pool of threads over a list of independent jobs, taken in order. */
#ifndef BASE_POOL_H
#define BASE_POOL_H

/* Calls job(context, i) for i in 0..jobs-1 on `threads` threads (1 runs them on the caller). Returns when all are done.
 * Every thread has the canonical floating-point environment (canon_environment in base/canon.h). */
void pool_run(int threads, int jobs, void (*job)(void *context, int index), void *context);

/* Processors this process may use. */
int pool_processors(void);

/* Bytes of memory that can still be had without swapping; a huge number when the kernel does not say. */
double pool_memory(void);

#endif
