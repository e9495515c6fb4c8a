/* Shards: a corpus that is larger than memory, as files of token ids with a manifest beside them.
 *
 * A folder holds manifest.json, tokenizer.model and the shards. A shard is nothing but ids, int32, little endian, in
 * the order of the text: token i stands at byte 4*i, so that a file is memory-mapped as it is. The manifest:
 *
 *     {"format": "normbench shards 1", "name": "dclm-c4", "tokenizer": "bpe:100277",
 *      "vocabulary": SHA-256 of its tokens (Tokenizer.sha256),
 *      "model": {"file": "tokenizer.model", "sha256": …},
 *      "unigram_train": nats, "unigram_valid": nats (Dataset.unigram_train, .unigram),
 *      "shards": [{"file": "train-00000.tokens", "part": "train", "tokens": …, "bytes": of text, "sha256": …}, …]}
 *
 * "part" is train or valid; all training shards stand before all others. tokenizer.model is the model of a trained
 * tokenizer, and of char and byte the text of all their tokens. Files are named without a folder.
 *
 * The shards of a part are one stream of tokens: a crop may begin in one shard and end in the next, and where it begins
 * is drawn from the seed alone (dataset_batch_starts). So batches do not depend on how the stream is cut into files,
 * and a text that was cut into shards gives the tokens, batches and losses that it gives as text:PATH.
 *
 * Opening reads every shard once: its length, its SHA-256, and that every id is in the vocabulary. Files that were
 * checked are remembered in the cache by inode, length and times. Reading maps the pages that a crop stands on, copies
 * the crop and unmaps them: memory does not grow with the corpus. A file that has changed since it was checked fails
 * the dataset (dataset_failed). Any thread may read. */
#ifndef DATASETS_SHARDS_H
#define DATASETS_SHARDS_H

#include "datasets/dataset.h"

typedef struct Shards Shards;

/* A corpus of shards that an experiment of ours names, which nobody can download whole: what it is made of. */
typedef struct {
    const char *name, *about, *texts;
} ShardCorpus;
const ShardCorpus *shard_corpora(size_t *count);

/* name: a folder or its manifest.json, when it has a "/" in it; else a folder NAME/ or shards/NAME/ below a data folder
 * (the places of datasets/corpus.h, without the network). RC_UNMEASURED: nowhere there; the line says how it is made.
 * RC_USAGE: its tokens are another tokenizer's. RC_INTEGRITY: the manifest, the model or a shard is missing or not what
 * the manifest says; the line names the file. d is zeroed; on an error, too, it is released. */
Rc shards_open(Dataset *d, const char *name, const char *tokenizer, const DataPlaces *places, Error *e);
void shards_close(Shards *s);

/* What sha256 the manifest of a corpus gives it; no shard is read. The codes of shards_open. */
Rc shards_hash(char out[SHA256_HEX], const char *name, const DataPlaces *places, Error *e);

/* out[count] = the ids from position first on; zeros where a file cannot be read (shards_failed). */
void shards_read(Shards *s, uint64_t first, size_t count, int32_t *out);
bool shards_failed(Shards *s, Error *e);

/* What shards_make makes: one part of texts. */
typedef struct {
    const char *folder; /* made when absent; its last name is the corpus' */
    const char *tokenizer;
    const char *const *train; /* [trains] files of plain text, in the order of the stream */
    int trains;
    const char *valid; /* NULL: the last 10% of the one training text, cut as text:PATH is */
    size_t tokens;     /* of a shard at most */
} ShardsPlan;

/* Cuts texts into shards, one text in memory at a time. The tokenizer is learned from the first text alone (of a text
 * cut in two, from its training part), and each text is encoded by itself. RC_USAGE: no text, a text that the tokenizer
 * does not take, several texts and none to validate on, a validation text that stands in a training text
 * (datasets/overlap.h), a folder that holds a manifest already. RC_UNMEASURED: a file that cannot be read or written.
 * note (512 bytes) is what the user should know, or "". */
Rc shards_make(const ShardsPlan *p, char note[512], Error *e);

#endif
