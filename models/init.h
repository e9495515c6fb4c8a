/* Initialize parameters. A parameter's numbers are Philox(seed, stream of its name, element) through the standard
 * normal, then scaled: two variants have equal initial weights in every tensor that both have. */
#ifndef MODELS_INIT_H
#define MODELS_INIT_H

#include "models/program.h"
#include "models/recipe.h"

/* Fill replica r's parameters, bring rows or columns to length 1 where the tape says so (Tensor.unit), and zero the
 * moments. */
void init_parameters(Program *p, int replica, uint64_t seed, const InitStd *std);

/* Fill every replica's parameters that the data initialize (Admin; Liu et al. 2020, algorithm 1) from the batches in
 * the feeds: one forward pass in which w_k = sqrt(1 + sum_{j<k} Var f_j) becomes the row that multiplies the stream
 * in sublayer k, before that sublayer is computed. A variance that is not finite makes the parameter NaN, so that
 * the first step diverges and names it. No-op without such parameters. */
void init_from_data(Program *p);

#endif
