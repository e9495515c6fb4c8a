/* A pool of threads over a list of independent jobs, taken in order. */
#ifndef BASE_POOL_H
#define BASE_POOL_H

/* Call job(context, i) for i in 0..jobs-1 on `threads` threads (1: on the caller's), and return when all are done.
 * Every thread has the canonical floating-point environment (canon_environment in base/canon.h). */
void pool_run(int threads, int jobs, void (*job)(void *context, int index), void *context);

/* Return how many processors this process may use. */
int pool_processors(void);

/* Return the bytes of memory available without swapping; a huge number if the kernel does not say. */
double pool_memory(void);

#endif
