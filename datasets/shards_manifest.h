/* manifest.json of a corpus of shards as a struct; datasets/shards.h describes it. */
#ifndef DATASETS_SHARDS_MANIFEST_H
#define DATASETS_SHARDS_MANIFEST_H

#include "datasets/dataset.h"

enum { SHARD_FILE = 64 /* room for a file's name */, SHARDS_MAX = 1 << 20 };

typedef struct {
    char file[SHARD_FILE], sha256[SHA256_HEX];
    bool valid;             /* true: in the validation part */
    uint64_t tokens, bytes; /* ids in it; bytes of their text */
    uint64_t at;            /* ids before it in the stream of both parts */
} Shard;

typedef struct {
    char name[DATASET_NAME_SIZE], tokenizer[TOKENIZER_NAME], vocabulary[SHA256_HEX];
    char model[SHARD_FILE], model_sha256[SHA256_HEX];
    double unigram_train, unigram_valid;
    Shard *shard;
    int shards;
    char sha256[SHA256_HEX]; /* hash of the manifest's bytes */
} ShardsManifest;

/* Read a manifest. RC_INTEGRITY: it is invalid; the line names file, shard and key, and *m needs no release. */
Rc shards_manifest_read(ShardsManifest *m, const char *path, Error *e);
Rc shards_manifest_write(const ShardsManifest *m, const char *path, Error *e);
void shards_manifest_release(ShardsManifest *m);

/* Append a shard to m, zeroed but for `at`. */
Shard *shards_manifest_add(ShardsManifest *m);

#endif
