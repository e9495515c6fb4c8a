/* Prepared tokens: model and ids of a trained tokenizer, kept in the cache so that a corpus is encoded once.
 *
 * cache/tokens/KEY.tokens, KEY = SHA-256 of what they depend on: the corpus' hash, the cut, the tokenizer and the
 * library's version. The file has a header of text lines, the model, the ids (16 bits, for more than 65,536 pieces 32;
 * little endian, training part first), and the SHA-256 of all that. */
#ifndef DATASETS_PREPARED_H
#define DATASETS_PREPARED_H

#include <stdbool.h>

#include "datasets/dataset.h"

typedef struct {
    Text path; /* "" without a cache */
    char key[SHA256_HEX];
} Prepared;

/* Set the path of a corpus' tokens under a tokenizer. */
void prepared_init(Prepared *p, const char *corpus_sha256, const char *tokenizer, size_t cut, const char *cache);
void prepared_release(Prepared *p);

/* Read d's codec, tokens, train, valid and tokens_sha256 from the cache, if *found. RC_INTEGRITY: the file's bytes have
 * changed; it was moved aside. A file that cannot be read is not found, and d->note says so. */
Rc prepared_read(const Prepared *p, Dataset *d, const char *tokenizer, bool *found, Error *e);

/* Store d's tokens; d->note says if the cache cannot. */
void prepared_write(const Prepared *p, Dataset *d);

/* Set d->tokens_sha256 to the SHA-256 of the ids in the file's form. */
void prepared_hash(Dataset *d);

#endif
