/* Runs a kernel of the shim: the host's side of simt.h, for C. */
#ifndef KERNELS_CUDA_SIMT_RUN_H
#define KERNELS_CUDA_SIMT_RUN_H

#include "kernels/cuda/launch.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What the body of a Stage is here: the function, called with the address of its struct, and its launch bounds: at most
 * so many threads a block, and so many blocks that must fit on a processor (0: as many as will). */
typedef struct {
    void (*call)(const void *args);
    unsigned threads, blocks;
} SimtKernel;

/* Every thread of every block of the grid, on the calling thread; returns when all have ended. body: a SimtKernel. */
void simt_run(const char *name, const void *body, Grid grid, const void *args, bool flat);

/* In which order the threads of a block, and the blocks, get their turn from now on, on the calling thread: 0
 * ascending, 1 descending, others a permutation each. With SIMT_TOGETHER added, several blocks are alive at once and
 * take turns where their threads wait; else each ends before the next begins. A kernel without races gives the same
 * bits in every order. */
enum { SIMT_TOGETHER = 1 << 10 };
void simt_order(unsigned order);

/* Makes the shim fail as a device can, from now on, on the calling thread: it has so many bytes, and it is lost after
 * so many replays of graphs. 0: without limit. For tests. */
void simt_limits(size_t bytes, int replays);

/* Fills c's scratch, of so many bytes, with NaNs, in its queue: what the rows of the shim do before the first stage of
 * every op, which may count on nothing that another op left there. */
void simt_fresh_scratch(const Call *c, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
