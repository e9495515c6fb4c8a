/* An optimizer's moments, shared out among the ranks that train a run together (ZeRO stage 1, Rajbhandari et al. 2020):
 * each rank keeps the moments of its own part of all parameters, updates that part, and gets the other parts from the
 * ranks that own them. Parts are equal runs of the parameters' words, and a word's update reads that word's gradient
 * and moments alone, so the bits are those of a rank that updates everything. */
#ifndef MODELS_MOMENTS_H
#define MODELS_MOMENTS_H

#include "kernels/op.h"
#include "models/trainer_state.h"

enum { MOMENTS_MOST_RANKS = 16 }; /* that divide a line of ARENA_ALIGN bytes into words */

/* The words of a tensor that this rank updates, all of them without owners, and of those a thread's share. */
Share moments_share(const Trainer *t, const Tensor *x, int part, int parts);

/* After the update of a replica: every part of its parameters; updates: of what stands in place of their gradients,
 * too. Without owners nothing. */
void moments_exchange(const Trainer *t, int replica, bool updates);

#endif
