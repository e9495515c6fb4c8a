/* Translations that an encoder-decoder writes: greedy, or by beam search.
 *
 * A hypothesis' score is the sum of the logs of its tokens' probabilities, its end among them. In each round the 2
 * beam likeliest continuations of a sentence's hypotheses are looked at: those among the first `beam` that end are
 * finished, the first `beam` that do not go on. A sentence is done when `beam` hypotheses are finished, and its
 * translation is the finished one with the largest score / length^penalty, length counting the end. A hypothesis as
 * long as the model's context allows can only end. With a beam of 1 this takes the likeliest token every time. Of
 * equal scores the earlier hypothesis and the lower id come first. */
#ifndef BENCH_TRANSLATE_TRANSLATION_H
#define BENCH_TRANSLATE_TRANSLATION_H

#include <signal.h>

#include "base/error.h"
#include "models/trainer.h"

enum { BEAM_MOST = 32 };

typedef struct {
    int beam;       /* 1: greedy */
    double penalty; /* of length, 0 none, 1 the mean over tokens */
    int32_t end;    /* the token that ends a sentence, and stands before its first */
    int context;    /* rows of a sentence at most, its end among them */
} Decoding;

/* A sentence of the source, ends not among its tokens, and what was made of it. */
typedef struct {
    const int32_t *source;
    int source_length; /* below context; what is longer must be cut before */
    int32_t *token;    /* the translation; the caller frees it */
    int length;
    double score; /* of all its tokens and the end */
} Translation;

/* Translates x[count] with the weights of one replica, on a host with what earlier tokens left (models/decode.h). One
 * sentence does not depend on the others. RC_INTERRUPTED and the like: *stop became nonzero;
 * RC_UNMEASURED: a logit is NaN; RC_USAGE: a batch has no
 * rows for so many hypotheses. Translations that were made are to be freed in any case. */
Rc translate(Trainer *t, int replica, const Decoding *how, Translation *x, int count, const volatile sig_atomic_t *stop,
             Error *e);

#endif
