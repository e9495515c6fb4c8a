/* Dataset: a text as token ids, cut into train and validation, and the batches drawn from it. The ids of a text are in
 * memory; those of a corpus of shards (datasets/shards.h) stay in its files, from which batches are read.
 *
 * The first 90% of the bytes train and the last 10% validate (the cut moves forward to the end of a code point); a
 * corpus with files of its own for each part uses those, and is refused when the parts overlap: when more than 0.1% of
 * the validation part's blocks of 256 bytes occur in the training part (a text cut in two gets a note instead). Batches
 * are paired by construction: the crops of a step depend only on the run's seed, the step and the place in the batch,
 * so all variants of one seed see the same text. */
#ifndef DATASETS_DATASET_H
#define DATASETS_DATASET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/feed.h"
#include "base/sha256.h"
#include "datasets/corpus.h"
#include "datasets/tokenizer.h"

enum { DATASET_NAME_SIZE = 64 };

typedef struct {
    char name[DATASET_NAME_SIZE];      /* manifest row, or a user's file name (bad UTF-8 as '?') */
    char sha256[SHA256_HEX];           /* hash of the bytes; for several files, of "HASH\n" per file, train first */
    char tokenizer[16];                /* name of the tokenizer */
    char tokenizer_sha256[SHA256_HEX]; /* its vocabulary's hash */
    char tokens_sha256[SHA256_HEX];    /* SHA-256 of a trained tokenizer's ids (datasets/prepared.h); else "" */
    char from[512];                    /* path or address of the (first) file, "built in" for a source */
    char note[512];                    /* remark to the user (see CorpusBytes.note), or "" */
    int vocab;
    int32_t *tokens;                 /* ids: [0, train) trains, [train, train + valid) validates; NULL: in shards */
    struct Shards *shards;           /* source of the ids if tokens is NULL; else NULL */
    struct Pairs *pairs;             /* index of sentence pairs (datasets/pairs.h), or NULL */
    size_t train, valid;             /* number of tokens */
    size_t train_bytes, valid_bytes; /* bytes of their text */
    Tokenizer codec;                 /* for tokenizer_decode and tokenizer_encode */
    const uint8_t *token_bytes;      /* [vocab] bytes per token (inside codec), for bits per byte */
    double entropy_rate;             /* nats per token when known (source, token = symbol), else NaN */
    double unigram;                  /* nats per validation token of the train unigrams, counts plus one */
    double unigram_train;            /* that model's nats per train token */
    bool synthetic;                  /* the text is a built-in source; tables say so */
} Dataset;

/* Open a dataset. name: a corpus or source of the manifest, "text:PATH" for a user's own file, "text:SOURCE,TARGET" for
 * two files of sentence pairs, line by line, of which the last tenth validates, "text:SOURCE,TARGET,SOURCE,TARGET" if
 * two more files validate, or "shards:NAME" (error codes: datasets/shards.h). tokenizer: "char", "byte" or "bpe" (see
 * datasets/tokenizer.h). A trained tokenizer sees the training part only; its ids are kept in places->cache.
 * RC_USAGE: unknown name or tokenizer (the line gives the nearest), a text that is empty, not UTF-8 or over 2^32-1
 * tokens, a vocabulary larger than the corpus supports, parts that overlap. RC_INTEGRITY: wrong bytes, also of the
 * prepared tokens, or not the tokens that the manifest pins. RC_UNMEASURED: not found (the caller may go on with
 * "synthetic", and must say so), or this build lacks the tokenizer (tokenizer_ready). On error *d is zeroed and needs
 * no release. */
Rc dataset_open(Dataset *d, const char *name, const char *tokenizer, const DataPlaces *places, Error *e);

/* Compute the sha256 of a user's own text (text:, shards:) without opening a dataset. Codes: see dataset_open. */
Rc dataset_hash(char out[SHA256_HEX], const char *name, const DataPlaces *places, Error *e);

/* Open one corpus given by its rows[count]: one WHOLE file, or TRAIN and VALID files (TEST rows are not read). */
Rc dataset_open_files(Dataset *d, const CorpusFile *rows, size_t count, const char *tokenizer, const DataPlaces *places,
                      Error *e);

void dataset_release(Dataset *d);

/* Copy ids first, first + 1, … of the training part followed by the validation part to out[count]. */
void dataset_tokens(const Dataset *d, size_t first, size_t count, int32_t *out);

/* Return true if a shard could not be read since the dataset was opened; e (may be NULL; RC_INTEGRITY) names it. Ids
 * read since then are zeros and must not be used. A text never fails. */
bool dataset_failed(const Dataset *d, Error *e);

/* Return the end of the first 90% of a text's bytes, moved forward (3 bytes at most) to the end of a code point. */
size_t dataset_cut(const uint8_t *bytes, size_t length);

/* Check that the train part holds one batch (batch*context + 1 tokens) and the validation part one window (context + 1
 * tokens); else RC_USAGE, with the counts. Everything below needs a dataset that fits. */
Rc dataset_fits(const Dataset *d, int batch, int context, Error *e);

/* Draw starts[batch], the first train token of each crop of this step: philox_below(word, train - context), with the
 * word at philox_offset(step, b) of stream "batch" under the seed. From 2^32 choices on, which only shards have, the
 * word has 64 bits: that word, and as low half the one at the same offset of stream "batch.low". */
void dataset_batch_starts(const Dataset *d, uint64_t seed, uint64_t step, int batch, int context, uint64_t *starts);

/* Fill the feeds of base/feeds.def among feed[feeds], each [batch][context] ids, and leave the others alone. Row b is
 * the crop that begins at starts[b], shifted as the feed says: targets by one. */
void dataset_batch(const Dataset *d, uint64_t seed, uint64_t step, int batch, int context, const FeedRoom *feed,
                   int feeds);

/* Return the number of whole validation windows. They do not overlap: window w has tokens
 * valid[w*context .. (w+1)*context), targets shifted by one. A last window that is not whole is dropped. */
size_t dataset_windows(const Dataset *d, int context);

/* Return how many targets the whole validation drops: valid - 1 - windows*context. */
size_t dataset_dropped(const Dataset *d, int context);

/* Fill feeds with windows: row b is window first + b. Rows past the last window are padding: tokens 0, targets -1.
 * Return how many rows are windows. */
int dataset_windows_fill(const Dataset *d, size_t first, int batch, int context, const FeedRoom *feed, int feeds);

/* Return the bytes of text of targets[count]; -1 counts nothing. */
size_t dataset_target_bytes(const Dataset *d, const int32_t *targets, size_t count);

#endif
