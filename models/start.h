/* How a variant's init column changes what the parameters of a model start as (CHOICE(init, …) of
 * models/choices.def). */
#ifndef MODELS_START_H
#define MODELS_START_H

#include "models/tape.h"
#include "models/variant.h"

/* What a matrix makes: q, k and v one above the other; q or k; v; SwiGLU's gate and up one above the other; or anything
 * else. */
typedef enum { MAKES_qkv, MAKES_qk, MAKES_v, MAKES_gate_up, MAKES_other } Makes;

/* Sets kind, std and scales of a parameter that starts at random: t->tensor[tensor], which stands at `place` (layer -1:
 * outside the blocks), crossing: in the attention to what an encoder read. */
void start_parameter(Tape *t, int tensor, const Variant *v, RulePlace place, Makes makes, bool crossing);

#endif
