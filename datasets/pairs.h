/* Sentence pairs: a corpus each of whose parts is the lines of a source language followed by as many lines of the
 * target language, the translation of each. Its tokens are those of the text (one vocabulary for both languages); the
 * end of a line is the token that ends a sentence, and the one that stands before a target sentence's first.
 *
 * A batch holds `batch * context` rows of source tokens and as many of target tokens, in which sentences stand
 * packed, one behind the other, in pairs: as many as both have room for (batches by tokens). So no row is spent on
 * filling short sentences up, and rows are padding only behind the last. The pairs of an epoch come in an order that
 * follows from the seed and the epoch alone. */
#ifndef DATASETS_PAIRS_H
#define DATASETS_PAIRS_H

#include "datasets/dataset.h"

typedef struct {
    size_t source, target;            /* places in the dataset's tokens */
    int source_length, target_length; /* tokens, the line's end not among them */
} Pair;

/* How sentences become rows. One that has more than context - 1 tokens is left out with the other of its pair, or (cut)
 * keeps its first ones. */
typedef struct {
    int batch, context;
    bool cut;
} Packing;

typedef struct Pairs Pairs;

/* Finds the pairs of a dataset that was opened, d->pairs, and counts unigrams of the target sentences alone. `lines`:
 * lines of one language in either part. Pairs with an empty line are left out and a pair of equal lines is not;
 * d->note counts both. RC_USAGE: a part has no pair. */
Rc pairs_find(Dataset *d, const size_t lines[2], Error *e);
void pairs_free(Pairs *p);

/* The pairs of training (part 0) or validation (1). */
const Pair *pairs_of(const Dataset *d, int part, size_t *count);

/* The token that ends a sentence. */
int32_t pairs_end(const Dataset *d);

/* Pairs of a part that have a sentence above the context, and their target tokens, ends counted. */
size_t pairs_long(const Dataset *d, int part, const Packing *how, size_t *tokens);

/* RC_USAGE unless both parts have a pair that fits; the line says why. */
Rc pairs_fit(const Dataset *d, const Packing *how, Error *e);

/* Fills the feeds of an encoder-decoder (models/transformer.h, PairFeeds) with the batch of update `step`; every pair
 * comes once before any comes again. Threads may call it at once. */
void pairs_batch(const Dataset *d, uint64_t seed, uint64_t step, const Packing *how, const FeedRoom *feed, int feeds);

/* The numbers in pairs_of(d, 0) of that batch's pairs, in their order; returns how many, batch * context / 2 at most.
 * number may be NULL. */
size_t pairs_numbers(const Dataset *d, uint64_t seed, uint64_t step, const Packing *how, int64_t *number);

/* Batches of the whole validation part, in the order of its lines, and one of them. Filling one that is not there fills
 * padding. */
size_t pairs_batches(const Dataset *d, const Packing *how);
void pairs_validation(const Dataset *d, size_t number, const Packing *how, const FeedRoom *feed, int feeds);

/* Rows of one batch being filled by hand, sentence by sentence. */
typedef struct {
    int32_t *tokens, *targets, *positions, *keys, *source, *source_positions, *source_keys, *memory_keys;
    int rows, sources, written; /* rows of each kind, and how many are taken */
} PackedRows;

/* Takes the feeds, all padding. */
void packed_begin(PackedRows *p, const FeedRoom *feed, int feeds);

/* Adds a source sentence of so many tokens and its end; its first row. There must be room. */
int packed_source(PackedRows *p, const int32_t *token, int length, int32_t end);

/* Adds a target sentence that reads the source rows [from, to): the end of the line before it and its tokens, each
 * row's target the next token and, where `ends`, behind the last the end. Its first row. There must be room. */
int packed_target(PackedRows *p, const int32_t *token, int length, int32_t end, bool ends, int from, int to);

/* Adds one row of a target sentence, for decoding with what its earlier rows left (models/decode.h). Nothing is put
 * into the feeds "keys" and "targets". There must be room. */
void packed_token(PackedRows *p, int32_t token, int position, int from, int to);

#endif
