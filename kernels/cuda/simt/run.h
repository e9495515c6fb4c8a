/* Run a kernel of the shim: the host's side of simt.h, for C. */
#ifndef KERNELS_CUDA_SIMT_RUN_H
#define KERNELS_CUDA_SIMT_RUN_H

#include "kernels/cuda/launch.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Body of a Stage in the shim: the function, called with the address of its struct, and its launch bounds (threads of a
 * block at most; blocks that must fit on a processor, 0: any number). */
typedef struct {
    void (*call)(const void *args);
    unsigned threads, blocks;
} SimtKernel;

/* Run every thread of every block of the grid, on the calling thread, to the end. body: a SimtKernel. */
void simt_run(const char *name, const void *body, Grid grid, const void *args, bool flat);

/* Set the order in which threads of a block, and blocks, run from now on, for the calling thread: 0 ascending, 1
 * descending, others a permutation each. With SIMT_TOGETHER added, several blocks are alive at once and take turns
 * where their threads wait; else each ends before the next begins. A kernel without races gives the same bits in every
 * order. */
enum { SIMT_TOGETHER = 1 << 10 };
void simt_order(unsigned order);

/* Make the calling thread's shim fail as a device can: its memory has `bytes`, and it is lost after `replays` replays
 * of graphs. 0: no limit. For tests. */
void simt_limits(size_t bytes, int replays);

/* Fill c's scratch with NaNs, in its queue. The shim does so before the first stage of every op, which must not rely on
 * what another op left there. */
void simt_fresh_scratch(const Call *c, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
