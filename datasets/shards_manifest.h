/* The manifest.json of a corpus of shards as a struct; datasets/shards.h says what it holds. */
#ifndef DATASETS_SHARDS_MANIFEST_H
#define DATASETS_SHARDS_MANIFEST_H

#include "datasets/dataset.h"

enum { SHARD_FILE = 64 /* room for a file's name */, SHARDS_MOST = 1 << 20 };

typedef struct {
    char file[SHARD_FILE], sha256[SHA256_HEX];
    bool valid;             /* of the validation part */
    uint64_t tokens, bytes; /* ids in it; bytes of the text they stand for */
    uint64_t at;            /* ids before it in the stream of both parts */
} Shard;

typedef struct {
    char name[DATASET_NAME_SIZE], tokenizer[TOKENIZER_NAME], vocabulary[SHA256_HEX];
    char model[SHARD_FILE], model_sha256[SHA256_HEX];
    double unigram_train, unigram_valid;
    Shard *shard;
    int shards;
    char sha256[SHA256_HEX]; /* of the manifest's bytes */
} ShardsManifest;

/* RC_INTEGRITY: not such a manifest; the line names the file, the shard and the key. *m needs no release then. */
Rc shards_manifest_read(ShardsManifest *m, const char *path, Error *e);
Rc shards_manifest_write(const ShardsManifest *m, const char *path, Error *e);
void shards_manifest_release(ShardsManifest *m);

/* The next of m's shards, zeroed but for `at`. */
Shard *shards_manifest_add(ShardsManifest *m);

#endif
