/* Make networks by the name of a placement, and measure them; for this room. */
#ifndef BENCH_THEORY_NET_OF_H
#define BENCH_THEORY_NET_OF_H

#include "models/theory_net.h"

/* Name of the matrix of Theorem 1. */
extern const char *const theory_w2;

/* Make the network of plan with a placement: a name of models/variants.c, or pre-rms, Pre-LN with RMSNorm in its place.
 * Seeds count from 0. RC_UNMEASURED as theory_net_make. */
Rc theory_net_of(TheoryNet **net, TheoryPlan plan, const char *placement, int seed, Error *e);

/* Free a network, if there is one, where the block of LOCAL ends. */
void theory_net_drop(TheoryNet **net);

/* Compute |F(w - eta dL/dw) - F(w)| / eta after theory_net_gradients, the root of the mean square over tokens; restore
 * the weights. */
double theory_step_change(TheoryNet *net);

/* Compute the mean square per number of F(w + noise) - F(w), over the noise's variance; the weights keep the noise. */
double theory_noise_change(TheoryNet *net);

/* Compute the singular values of a [d][d], descending. RC_UNMEASURED: no convergence, or a number is not finite. */
Rc theory_singular(const double *a, int d, double *s, Error *e);

#endif
