/* Initialize parameters. A parameter's numbers are Philox(seed, stream of its name, element) through the standard
 * normal, then scaled: two variants have equal initial weights in every tensor that both have. */
#ifndef MODELS_INIT_H
#define MODELS_INIT_H

#include "models/program.h"
#include "models/recipe.h"

/* Fill replica r's parameters, bring rows or columns to length 1 where the tape says so (Tensor.unit), and zero the
 * moments. */
void init_parameters(Program *p, int replica, uint64_t seed, const InitStd *std);

#endif
