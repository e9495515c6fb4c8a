/* Continue text with a language model, token by token. */
#ifndef BENCH_RUN_SAMPLING_H
#define BENCH_RUN_SAMPLING_H

#include <signal.h>

#include "base/error.h"
#include "models/trainer.h"

typedef struct {
    double temperature; /* logits are divided by it; 0: always the likeliest token */
    int top_k;          /* draw from that many likeliest tokens; 0: from all */
    uint64_t seed;
} Sampling;

/* Draw a token from softmax(logit / temperature) by a word of random bits, or return the likeliest; of equal logits the
 * lower id counts as larger. logit[vocab] is changed. */
int sampling_choose(double *logit, int vocab, const Sampling *how, uint32_t word);

/* Continue the prompt `samples` times: text[samples][prompt + tokens] begins with the prompt's ids and receives the
 * rest. The feeds of t hold batch sequences of `context`; of a longer text the last `context` tokens are read. Token i
 * of sample s is drawn with word s of step i of stream "sample" under the seed: samples do not depend on each other.
 * progress: called with the tokens made of all samples, or NULL. RC_INTERRUPTED and the like: *stop became nonzero;
 * RC_UNMEASURED: a logit is NaN. */
Rc sampling_text(Trainer *t, int batch, int context, int vocab, const Sampling *how, int32_t *text, int samples,
                 int prompt, int tokens, const volatile sig_atomic_t *stop, void (*progress)(void *of, int tokens),
                 void *of, Error *e);

#endif
