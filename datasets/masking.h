/* Masked language modeling: tokens are hidden and predicted from both sides (Devlin et al. 2019, "BERT", section 3.1).
 * Each token of a row is chosen with probability 0.15; of those chosen 0.8 are replaced by the mask, whose id is the
 * vocabulary's size, 0.1 by a token drawn evenly, 0.1 stay. A row in which no token is chosen gives up one, drawn
 * evenly. Every draw is a word of Philox: the masks of a step depend on the seed, the step and the place in the batch,
 * those of a validation window only on the window, so that all runs predict the same tokens. */
#ifndef DATASETS_MASKING_H
#define DATASETS_MASKING_H

#include "datasets/dataset.h"

/* Mask feeds that dataset_batch (with the same seed and step) or dataset_windows_fill filled: mask "tokens", and set
 * "targets" to the token at a chosen place and -1 elsewhere. Rows without text and feeds of other names stay. */
void masking_batch(int vocab, uint64_t seed, uint64_t step, int batch, int context, const FeedRoom *feed, int feeds);
void masking_windows(int vocab, size_t first, int batch, int context, const FeedRoom *feed, int feeds);

/* Return how many tokens the masks of validation window `window` choose if it has `tokens` tokens. */
int masking_window_targets(size_t window, int tokens);

#endif
