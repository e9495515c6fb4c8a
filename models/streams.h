/* What flows from sublayer to sublayer (CHOICE(streams, …) of models/choices.def): one stream, or several side by
 * side in one tensor, or all that the sublayers have put out. models/transformer.c calls these. */
#ifndef MODELS_STREAMS_H
#define MODELS_STREAMS_H

#include "models/transformer.h"

/* The first streams, from the embedded tokens x: [rows][width]. */
int streams_begin(Stack *b, int x);

/* What a sublayer reads of the streams x: [rows][width]. `family`: "attn", "cross" or "mlp", for names. */
int streams_read(Stack *b, int x, const char *family);

/* The streams after a sublayer that put out f, where it ends in no sum (streams_sum). */
int streams_write(Stack *b, int x, int f, const char *family);

/* Whether a sublayer ends in x <- carry x + gate f, to which this then adds what else the streams ask for: f's share of
 * a second stream, the block's input. */
bool streams_sum(const Stack *b);
int streams_added(Stack *b, int sum, int f, double gate, const char *family);

/* What the norm before the head reads, but of a second stream, which stack_blocks ends. */
int streams_end(Stack *b, int x);

#endif
