/* Weights as a safetensors file that other programs can read and write: float32, the tape's export names (nanoGPT's),
 * matrices [out][in], gains, biases and gates of rank 1. `__metadata__` says what they are weights of:
 *
 *   format_version      "normbench-1"
 *   spec                the run's whole canonical text (bench/plan/spec.h)
 *   dataset_sha256, tokenizer_sha256
 *   run, step, arithmetic_class, arithmetic    the stored run and its step; a program that changes the weights omits
 *                                              `run`, and nothing is compared with a record
 *   model               the network as JSON, for programs that know no spec (see bench/store/weights_model.c)
 *   vocabulary          tokenizer_vocabulary: its SHA-256 is tokenizer_sha256; absent if the corpus was not available
 *   parameters_hash     trainer_hash of the weights; optional, and checked if present
 *   sha256              hash of the data section (bench/formats/safetensors.h); a program that
 *                       saves the file anew omits it
 *
 * An optional I64 tensor `batches` has a row per step, which the step reads (FeedBatches). A crop has inputs
 * train[start .. start + context) and targets one further on; train is the corpus' training part. */
#ifndef BENCH_STORE_WEIGHTS_H
#define BENCH_STORE_WEIGHTS_H

#include "base/sha256.h"
#include "bench/formats/safetensors.h"
#include "bench/plan/spec.h"
#include "bench/store/feeding.h"
#include "datasets/tokenizer.h"
#include "kernels/backend.h"
#include "models/trainer.h"

#define WEIGHTS_FORMAT "normbench-1"

/* Metadata of the weights. */
typedef struct {
    RunSpec spec;
    char dataset_sha256[SHA256_HEX], tokenizer_sha256[SHA256_HEX];
    char run[SHA256_HEX]; /* "": not a stored run's; then step is -1 */
    char arithmetic_class[BACKEND_CLASS_SIZE], arithmetic[SHA256_HEX];
    char parameters_hash[SHA256_HEX]; /* "": not stated */
    int step;
    int vocab; /* size of the vocabulary */
} WeightsOrigin;

typedef struct {
    WeightsOrigin origin;
    SafeFile file;
} Weights;

/* Write replica 0 of t and fill origin's parameters_hash. batches, tokenizer (for its vocabulary) may be NULL. More
 * than `file_bytes` bytes of weights go to several files (bench/formats/safe_shards.h). RC_UNMEASURED: the disk
 * refused; nothing at path has changed. */
Rc weights_write(const char *path, const Trainer *t, WeightsOrigin *origin, const FeedBatches *batches,
                 const Tokenizer *tokenizer, double file_bytes, Error *e);

/* Append the network of a spec as JSON, as it is after `step` updates. */
void weights_model(const RunSpec *spec, int vocab, int step, Text *out);

/* Read a file and its metadata. RC_INTEGRITY: no safetensors file, truncated, overlapping tensors or gaps, a wrong
 * hash, metadata absent or contradictory. RC_USAGE: no such file. On failure there is nothing to release. */
Rc weights_open(Weights *w, const char *path, Error *e);
void weights_release(Weights *w);

/* Check that the file has exactly the tape's parameters (and perhaps `batches`), float32 (or BF16 or F16, which are
 * exact in it), in their shapes; else RC_INTEGRITY. */
Rc weights_match(const Weights *w, const Tape *tape, Error *e);

/* Load into replica 0 of t, whose tape has matched, and set t's step. RC_INTEGRITY: the hash is not the file's. */
Rc weights_load(const Weights *w, Trainer *t, Error *e);

#endif
