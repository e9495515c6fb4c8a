/* The level of a unigram model: what a model that knows only how often each token occurs costs. */
#ifndef DATASETS_UNIGRAM_H
#define DATASETS_UNIGRAM_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    int vocab;
    uint64_t *train, *valid; /* [vocab] how often each id occurs in a part */
} UnigramCounts;

void unigram_init(UnigramCounts *c, int vocab);
void unigram_release(UnigramCounts *c);

/* Adds tokens[count], ids of the vocabulary, to one part's counts. */
void unigram_add(uint64_t *part, const int32_t *tokens, size_t count);

/* Nats per token of each part of the train unigrams, counts plus one, so that a token never seen in training costs a
 * finite amount. Both parts hold a token. */
void unigram_levels(const UnigramCounts *c, double *on_train, double *on_valid);

#endif
