/* Initial parameters. A parameter's numbers are Philox(seed, stream of its name, element) through the standard normal,
 * scaled afterwards: two variants share the initial weights of every tensor they share, whatever else they have. */
#ifndef MODELS_INIT_H
#define MODELS_INIT_H

#include "models/program.h"
#include "models/recipe.h"

/* Fills replica r's parameters, brings rows or columns to length 1 where the tape says so (Tensor.unit), and zeroes the
 * moments. */
void init_parameters(Program *p, int replica, uint64_t seed, const InitStd *std);

#endif
