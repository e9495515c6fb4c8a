/* Translate with an encoder-decoder: greedily, or by beam search.
 *
 * A hypothesis' score is the sum of the logs of its tokens' probabilities, its end included. Each round considers the 2
 * beam likeliest continuations of a sentence's hypotheses: those among the first `beam` that end are finished, the
 * first `beam` that do not end go on. A sentence is done when `beam` hypotheses are finished, and its translation is
 * the finished one with the largest score / length^penalty, length counting the end. A hypothesis as long as the
 * model's context can only end. A beam of 1 takes the likeliest token every time. Of equal scores the earlier
 * hypothesis and the lower id come first. */
#ifndef BENCH_TRANSLATE_TRANSLATION_H
#define BENCH_TRANSLATE_TRANSLATION_H

#include <signal.h>

#include "base/error.h"
#include "models/trainer.h"

enum { BEAM_MAX = 32 };

typedef struct {
    int beam;       /* 1: greedy */
    double penalty; /* length penalty: 0 none, 1 the mean over tokens */
    int32_t end;    /* the token that ends a sentence, and precedes its first */
    int context;    /* most rows of a sentence, with its end */
} Decoding;

/* A source sentence without ends, and its translation. */
typedef struct {
    const int32_t *source;
    int source_length; /* below context; longer sentences must be cut before */
    int32_t *token;    /* the translation; the caller frees it */
    int length;
    double score; /* score of all its tokens and the end */
} Translation;

/* Translate x[count] with the weights of one replica, on the host with cached keys and values (models/decode.h).
 * Sentences do not depend on each other. RC_INTERRUPTED and the like: *stop became nonzero; RC_UNMEASURED: a logit is
 * NaN; RC_USAGE: a batch has no rows for so many hypotheses. The caller frees translations in any case. */
Rc translate(Trainer *t, int replica, const Decoding *how, Translation *x, int count, const volatile sig_atomic_t *stop,
             Error *e);

#endif
