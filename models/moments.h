/* Divide an optimizer's moments among the ranks that train a run together (ZeRO stage 1, Rajbhandari et al. 2020): each
 * rank keeps the moments of its part of all parameters, updates that part, and gets the other parts from their owners.
 * Parts are equal runs of the parameters' numbers, and a number's update reads only its own gradient and moments, so
 * the bits are those of a rank that updates everything. */
#ifndef MODELS_MOMENTS_H
#define MODELS_MOMENTS_H

#include "kernels/op.h"
#include "models/trainer_state.h"

enum { MOMENTS_RANKS_MAX = 16 }; /* a line of ARENA_ALIGN bytes has that many floats */

/* Return a thread's share of the numbers of a tensor that this rank updates; without owners, of all of them. */
Share moments_share(const Trainer *t, const Tensor *x, int part, int parts);

/* Exchange the parts of a replica's parameters after its update; updates: also of the updates, which are in place of
 * their gradients. No-op without owners. */
void moments_exchange(const Trainer *t, int replica, bool updates);

#endif
