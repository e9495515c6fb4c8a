/* Loss of a unigram model, which knows only how often each token occurs. */
#ifndef DATASETS_UNIGRAM_H
#define DATASETS_UNIGRAM_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    int vocab;
    uint64_t *train, *valid; /* [vocab] occurrences of each id in a part */
} UnigramCounts;

void unigram_init(UnigramCounts *c, int vocab);
void unigram_release(UnigramCounts *c);

/* Add tokens[count], ids of the vocabulary, to one part's counts. */
void unigram_add(uint64_t *part, const int32_t *tokens, size_t count);

/* Compute the train unigrams' cross-entropy in nats per token of each part, with counts plus one, so that a token that
 * never occurs in training has a finite cost. Both parts have a token. */
void unigram_levels(const UnigramCounts *c, double *on_train, double *on_valid);

#endif
