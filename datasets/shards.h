/* Shards: a corpus that is larger than memory, as files of token ids with a manifest beside them.
 *
 * A folder has manifest.json, tokenizer.model and the shards. A shard is an array of ids, int32, little endian, in the
 * order of the text: token i is at byte 4*i, so that a file is memory-mapped as it is. The manifest:
 *
 *     {"format": "normbench shards 1", "name": "dclm-c4", "tokenizer": "bpe:100277",
 *      "vocabulary": SHA-256 of its tokens (Tokenizer.sha256),
 *      "model": {"file": "tokenizer.model", "sha256": …},
 *      "unigram_train": nats, "unigram_valid": nats (Dataset.unigram_train, .unigram),
 *      "shards": [{"file": "train-00000.tokens", "part": "train", "tokens": …, "bytes": of text, "sha256": …}, …]}
 *
 * "part" is train or valid; all training shards come first. tokenizer.model is the model of a trained tokenizer; for
 * char and byte, the text of all tokens. Files are named without a folder.
 *
 * The shards of a part are one stream of tokens: a crop may begin in one shard and end in the next, and its start is
 * drawn from the seed only (dataset_batch_starts). So batches do not depend on how the stream is cut into files, and a
 * text cut into shards gives the same tokens, batches and losses as text:PATH.
 *
 * Opening reads every shard once: its length, its SHA-256, and that every id is in the vocabulary. Files that were
 * checked are remembered in the cache by inode, length and times. Reading maps a crop's pages, copies the crop and
 * unmaps them: memory does not grow with the corpus. If a file has changed since it was checked, the dataset fails
 * (dataset_failed). Any thread may read. */
#ifndef DATASETS_SHARDS_H
#define DATASETS_SHARDS_H

#include "datasets/dataset.h"

typedef struct Shards Shards;

/* A corpus of shards that one of our experiments names and that has no download: what it is made of. */
typedef struct {
    const char *name, *about, *texts;
} ShardCorpus;
const ShardCorpus *shard_corpora(size_t *count);

/* Open shards. name: a folder or its manifest.json if it has a "/"; else a folder NAME/ or shards/NAME/ below a data
 * folder (the places of datasets/corpus.h, without the network). RC_UNMEASURED: not found; the line says how to make
 * it. RC_USAGE: its tokens are another tokenizer's. RC_INTEGRITY: the manifest, the model or a shard is missing or not
 * as the manifest says; the line names the file. d is zeroed before; the caller releases it, also after an error. */
Rc shards_open(Dataset *d, const char *name, const char *tokenizer, const DataPlaces *places, Error *e);
void shards_close(Shards *s);

/* Compute a corpus' sha256 from its manifest, without reading shards. Codes: see shards_open. */
Rc shards_hash(char out[SHA256_HEX], const char *name, const DataPlaces *places, Error *e);

/* Copy the ids from position first on to out[count]; zeros for a file that cannot be read (shards_failed). */
void shards_read(Shards *s, uint64_t first, size_t count, int32_t *out);
bool shards_failed(Shards *s, Error *e);

/* Input and output of shards_make. */
typedef struct {
    const char *folder; /* made if absent; its last name names the corpus */
    const char *tokenizer;
    const char *const *train; /* [trains] plain text files, in the order of the stream */
    int trains;
    const char *valid; /* NULL: the last 10% of the one training text, cut as text:PATH is */
    size_t tokens;     /* most tokens of a shard */
} ShardsPlan;

/* Cut texts into shards, one text in memory at a time. The tokenizer learns from the first text only (if it is cut in
 * two, from its training part), and each text is encoded by itself. RC_USAGE: no text, a text that the tokenizer does
 * not take, several texts and none to validate on, a validation text that occurs in a training text
 * (datasets/overlap.h), a folder that already has a manifest. RC_UNMEASURED: a file that cannot be read or written.
 * note (512 bytes): a remark to the user, or "". */
Rc shards_make(const ShardsPlan *p, char note[512], Error *e);

#endif
