/* (ModelShape, Variant) -> Tape: the one place where a GPT is written down. */
#ifndef MODELS_TRANSFORMER_H
#define MODELS_TRANSFORMER_H

#include "models/tape.h"
#include "models/variant.h"

typedef enum { ACTIVATION_GELU, ACTIVATION_RELU } Activation;

/* What all arms of an experiment share. */
typedef struct {
    int layers, width, heads, context, vocab, batch;
    int ffn_mult; /* hidden width of the MLP / width */
    Activation activation;
    bool bias;    /* on linear layers */
    bool tied;    /* the head is the token embedding */
    bool dropout; /* dropout ops exist; their p is a scalar of the replica */
    double norm_eps;
} ModelShape;

/* RC_USAGE when the numbers do not fit together (heads do not divide the width, …); the line names the key. */
Rc shape_check(const ModelShape *s, Error *e);

/* Builds the tape: embedding, blocks, head, loss, and the embedding-norm probe. The shape has passed shape_check. */
void transformer_build(Tape *t, const ModelShape *s, const Variant *v);

#endif
