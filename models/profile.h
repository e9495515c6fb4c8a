/* Run the profiling pass of Admin (Liu et al. 2020, algorithm 1): one forward pass in which w_k = sqrt(1 + sum_{j<k}
 * Var f_j) becomes the row that multiplies the stream in sublayer k, before that sublayer is computed. */
#ifndef MODELS_PROFILE_H
#define MODELS_PROFILE_H

#include "models/program.h"

/* Fill every replica's profiled parameters from the batches in the feeds. A variance that is not finite makes the
 * parameter NaN, so that the first step diverges and names it. No-op without profiled parameters. */
void profile_parameters(Program *p);

#endif
