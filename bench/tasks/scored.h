/* A context and its continuation as tokens, and what a model is shown of them to say how likely it finds the
 * continuation: the sum over the continuation's tokens of the log of each token's probability given what stands before
 * it, nats.
 *
 * Tokens are cut as the LM Evaluation Harness cuts them: blanks at the context's end go to the continuation; both are
 * encoded as one text, and the continuation's tokens are those behind as many as the context alone has. The model sees
 * the last `context` tokens before each: a longer context is cut from the left. A continuation longer than the model's
 * context, which the harness refuses, is scored in windows that move by half the context, so that each of its tokens
 * sees at least half a context of what stands before it. There is no token in front of a text. */
#ifndef BENCH_TASKS_SCORED_H
#define BENCH_TASKS_SCORED_H

#include <stdbool.h>

#include "datasets/tokenizer.h"

/* A text as tokens, of which [scored, count) are the continuation's. */
typedef struct {
    int32_t *token;
    int count, scored;
    double loglikelihood; /* what likelihoods adds to */
} Scored;

/* Fills s; its loglikelihood is 0. RC_USAGE: the tokenizer cannot represent the text, or the continuation has no token
 * of its own. On error there is nothing to release. */
Rc scored_encode(Scored *s, const Tokenizer *codec, const char *context, const char *continuation, Error *e);
void scored_release(Scored *s);

/* The part of a text that one pass sees: inputs [first, first + inputs), targets one further on, those from `target` on
 * counted. */
typedef struct {
    int first, inputs, target;
} Window;

/* The window that scores s from target `from` on, of a model that sees `context` tokens; its last target is the first +
 * inputs'th token. The next window begins behind it, until that is the text's last. */
Window scored_window(const Scored *s, int from, int context);
int scored_windows(const Scored *s, int context);

/* Whether the model does not see the whole text at once. */
bool scored_truncated(const Scored *s, int context);

#endif
