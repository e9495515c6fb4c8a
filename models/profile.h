/* The profiling pass of Admin (Liu et al. 2020, algorithm 1): one forward pass in which w_k = sqrt(1 + sum_{j<k}
 * Var f_j) becomes the row that multiplies the stream in sublayer k, before that sublayer is computed. */
#ifndef MODELS_PROFILE_H
#define MODELS_PROFILE_H

#include "models/program.h"

/* Fills every replica's profiled parameters of a tape from the batches that stand in the feeds. A variance that is not
 * finite leaves the parameter NaN, so that the first step ends as a divergence that names it. Nothing without profiled
 * parameters. */
void profile_parameters(Program *p);

#endif
