/* Tokenize a context and its continuation, and cut them into windows whose scores add up to the continuation's
 * log-likelihood: the sum over its tokens of the log of each token's probability given all before it, nats.
 *
 * Tokens are cut as in the LM Evaluation Harness: blanks at the context's end go to the continuation; both are encoded
 * as one text, and the continuation's tokens are those after as many as the context alone has. The model sees the last
 * `context` tokens before each: a longer context is cut from the left. A continuation longer than the model's context,
 * which the harness refuses, is scored in windows that move by half the context, so that each of its tokens sees at
 * least half a context before it. No token precedes a text. */
#ifndef BENCH_TASKS_SCORED_H
#define BENCH_TASKS_SCORED_H

#include <stdbool.h>

#include "datasets/tokenizer.h"

/* Tokens of a text, of which [scored, count) are the continuation's. */
typedef struct {
    int32_t *token;
    int count, scored;
    double loglikelihood; /* sum, to which likelihoods adds */
} Scored;

/* Fill s, with loglikelihood 0. RC_USAGE: the tokenizer cannot represent the text, or the continuation has no token of
 * its own. On error there is nothing to release. */
Rc scored_encode(Scored *s, const Tokenizer *codec, const char *context, const char *continuation, Error *e);
void scored_release(Scored *s);

/* Part of a text that one pass sees: inputs [first, first + inputs), targets one further on, counted from `target`
 * on. */
typedef struct {
    int first, inputs, target;
} Window;

/* Return the window that scores s from target `from` on, for a model that sees `context` tokens; its last target is
 * token first + inputs. The next window begins after it, up to the end of the text. */
Window scored_window(const Scored *s, int from, int context);
int scored_windows(const Scored *s, int context);

/* Return true if the model does not see the whole text at once. */
bool scored_truncated(const Scored *s, int context);

#endif
