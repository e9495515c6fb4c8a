/* How a variant's init column changes what the parameters of a model start as (CHOICE(init, …) of
 * models/choices.def). */
#ifndef MODELS_START_H
#define MODELS_START_H

#include "models/tape.h"
#include "models/variant.h"

/* Sets kind, std and scales of a parameter that starts at random: t->tensor[tensor], of block `layer` of `depth`
 * (layer -1: outside the blocks) of a stream of `width` columns. attention: it is q, k and v of a block, one above
 * the other. */
void start_parameter(Tape *t, int tensor, const Variant *v, int layer, int depth, int width, bool attention);

#endif
