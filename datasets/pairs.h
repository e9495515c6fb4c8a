/* Sentence pairs: each part of the corpus is the lines of a source language followed by as many lines of the target
 * language, their translations. Both languages have one vocabulary; a line's end is the token that ends a sentence, and
 * that precedes a target sentence's first token.
 *
 * A batch has `batch * context` rows of source tokens and as many of target tokens, into which pairs of sentences are
 * packed, one after the other, as many as fit in both (batches by tokens). So short sentences need no padding; only
 * rows after the last sentence are padding. The order of an epoch's pairs depends only on the seed and the epoch. */
#ifndef DATASETS_PAIRS_H
#define DATASETS_PAIRS_H

#include "datasets/dataset.h"

typedef struct {
    size_t source, target;            /* positions in the dataset's tokens */
    int source_length, target_length; /* tokens without the line's end */
} Pair;

/* Packing of sentences into rows. A sentence of more than context - 1 tokens is dropped with its pair, or (cut)
 * truncated. */
typedef struct {
    int batch, context;
    bool cut;
} Packing;

typedef struct Pairs Pairs;

/* Find the pairs of an opened dataset, d->pairs, and count unigrams of target sentences only. `lines`: lines of one
 * language in each part. Pairs with an empty line are dropped, pairs of equal lines are kept; d->note counts both.
 * RC_USAGE: a part has no pair. */
Rc pairs_find(Dataset *d, const size_t lines[2], Error *e);
void pairs_free(Pairs *p);

/* Return the pairs of training (part 0) or validation (1). */
const Pair *pairs_of(const Dataset *d, int part, size_t *count);

/* Return the token that ends a sentence. */
int32_t pairs_end(const Dataset *d);

/* Count a part's pairs with a sentence above the context, and their target tokens including ends. */
size_t pairs_long(const Dataset *d, int part, const Packing *how, size_t *tokens);

/* Check that both parts have a pair that fits; else RC_USAGE. */
Rc pairs_fit(const Dataset *d, const Packing *how, Error *e);

/* Fill the feeds of an encoder-decoder (models/transformer.h, PairFeeds) with the batch of update `step`; every pair is
 * used once per epoch. Threads may call it at once. */
void pairs_batch(const Dataset *d, uint64_t seed, uint64_t step, const Packing *how, const FeedRoom *feed, int feeds);

/* List the indices in pairs_of(d, 0) of that batch's pairs, in order; return how many, batch * context / 2 at most.
 * number may be NULL. */
size_t pairs_numbers(const Dataset *d, uint64_t seed, uint64_t step, const Packing *how, int64_t *number);

/* Return the number of batches of the whole validation part, in the order of its lines; fill one of them. A batch
 * beyond the last is padding. */
size_t pairs_batches(const Dataset *d, const Packing *how);
void pairs_validation(const Dataset *d, size_t number, const Packing *how, const FeedRoom *feed, int feeds);

/* Rows of one batch that is filled sentence by sentence. */
typedef struct {
    int32_t *tokens, *targets, *positions, *keys, *source, *source_positions, *source_keys, *memory_keys;
    int rows, sources, written; /* rows of each kind, and how many are used */
} PackedRows;

/* Begin with the feeds, all padding. */
void packed_begin(PackedRows *p, const FeedRoom *feed, int feeds);

/* Add a source sentence of `length` tokens and its end; return its first row. There must be room. */
int packed_source(PackedRows *p, const int32_t *token, int length, int32_t end);

/* Add a target sentence that reads the source rows [from, to): inputs are a line's end and its tokens, targets its
 * tokens and, if `ends`, the end. Return its first row. There must be room. */
int packed_target(PackedRows *p, const int32_t *token, int length, int32_t end, bool ends, int from, int to);

/* Add one row of a target sentence, for decoding from its earlier rows (models/decode.h). The feeds "keys" and
 * "targets" stay. There must be room. */
void packed_token(PackedRows *p, int32_t token, int position, int from, int to);

#endif
