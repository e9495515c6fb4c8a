/* Networks by the name of a placement, and what is asked of them more than once. For this room. */
#ifndef BENCH_THEORY_NET_OF_H
#define BENCH_THEORY_NET_OF_H

#include "models/theory_net.h"

/* The matrix of Theorem 1. */
extern const char *const theory_w2;

/* plan with the placement's row: a name of models/variants.c, or pre-rms, which is Pre-LN with RMSNorm in its place.
 * Seeds count from 0. RC_UNMEASURED as theory_net_make. */
Rc theory_net_of(TheoryNet **net, TheoryPlan plan, const char *placement, int seed, Error *e);

/* After theory_net_gradients: |F(w - eta dL/dw) - F(w)| / eta, the root of the mean square over tokens; the weights are
 * put back. */
double theory_step_change(TheoryNet *net);

/* The mean square per number of F(w + noise) - F(w), over the noise's variance; the weights keep the noise. */
double theory_noise_change(TheoryNet *net);

/* Singular values of a [d][d], descending. RC_UNMEASURED: no convergence, or a number that is not finite. */
Rc theory_singular(const double *a, int d, double *s, Error *e);

#endif
