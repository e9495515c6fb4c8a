/* What flows from sublayer to sublayer (CHOICE(streams, …) of models/choices.def): one stream, or several side by
 * side in one tensor, or all that the sublayers have put out. models/transformer.c calls these. */
#ifndef MODELS_STREAMS_H
#define MODELS_STREAMS_H

#include "models/transformer.h"

/* What a sublayer adds: its output, and that times the gate, but for a fixed factor. */
typedef struct {
    int plain, gated; /* tensors */
    double factor;    /* of gated: what it is still to be multiplied by */
} Branch;

/* The first streams, from the embedded tokens x: [rows][width]. */
int streams_begin(Stack *b, int x);

/* What a sublayer reads of the streams x: [rows][width]. `family`: "attn", "cross" or "mlp", for names. */
int streams_read(Stack *b, int x, const char *family);

/* The streams after a sublayer that put out f, where it ends in no sum (streams_sum). */
int streams_write(Stack *b, int x, int f, const char *family);

/* Whether a sublayer ends in x <- carry x + gate f, to which this then adds what else the streams ask for: f's share of
 * a second stream, the block's input. */
bool streams_sum(const Stack *b);
int streams_added(Stack *b, int sum, Branch f, const char *family);

/* What the head reads, the norm before it included: [rows][width]. */
int streams_head(Stack *b, int x);

#endif
