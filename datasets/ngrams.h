/* Count n-grams that two sequences share, for BLEU and chrF. */
#ifndef DATASETS_NGRAMS_H
#define DATASETS_NGRAMS_H

#include <stddef.h>
#include <stdint.h>

enum { NGRAMS_MAX = 6 };

/* Return how many n-grams of that order a sequence has. */
size_t ngrams_count(size_t length, size_t order);

/* Sum the smaller of the two counts over distinct n-grams ("clipped" matches; Papineni et al. 2002). 1 <= order <=
 * NGRAMS_MAX. */
size_t ngrams_shared(const uint32_t *a, size_t na, const uint32_t *b, size_t nb, size_t order);

#endif
