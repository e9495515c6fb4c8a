/* Weights as a safetensors file that other programs can read and write: float32, the tape's export names (nanoGPT's),
 * matrices [out][in], gains, biases and gates of rank 1. `__metadata__` says what they are weights of:
 *
 *   format_version      "normbench-1"
 *   spec                the run's whole canonical text (bench/plan/spec.h)
 *   dataset_sha256, tokenizer_sha256
 *   run, step, arithmetic_class, arithmetic    the stored run and its step; a program that changed the weights leaves
 *                                              `run` out, and nothing is compared with a record
 *   model               the network as JSON, for programs that know no spec (bench/store/weights_model.c says how)
 *   vocabulary          tokenizer_vocabulary: its SHA-256 is tokenizer_sha256; absent when the corpus was not at hand
 *   parameters_hash     trainer_hash of the weights; optional, and checked where it stands
 *   sha256              of the data section (bench/formats/safetensors.h); a program that
 *                       saves the file anew leaves it out
 *
 * An I64 tensor `batches`, a row per step, may stand beside the weights: what the step reads (FeedBatches). A crop has
 * inputs train[start .. start + context) and targets one further on; train is the corpus' training part. */
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

/* What the metadata say. */
typedef struct {
    RunSpec spec;
    char dataset_sha256[SHA256_HEX], tokenizer_sha256[SHA256_HEX];
    char run[SHA256_HEX]; /* "" = of no stored run; then step is -1 */
    char arithmetic_class[BACKEND_CLASS_SIZE], arithmetic[SHA256_HEX];
    char parameters_hash[SHA256_HEX]; /* "" = not stated */
    int step;
    int vocab; /* size of the vocabulary */
} WeightsOrigin;

typedef struct {
    WeightsOrigin origin;
    SafeFile file;
} Weights;

/* Replica 0 of t; origin's parameters_hash is filled here. batches, tokenizer: whose vocabulary
 * the file carries; or NULL. Above `shard` bytes of weights in several files (bench/formats/safe_shards.h).
 * RC_UNMEASURED when the disk refuses; then nothing at path has changed. */
Rc weights_write(const char *path, const Trainer *t, WeightsOrigin *origin, const FeedBatches *batches,
                 const Tokenizer *tokenizer, double shard, Error *e);

/* Appends the network of a spec as JSON, as it is after `step` updates. */
void weights_model(const RunSpec *spec, int vocab, int step, Text *out);

/* Reads a file and its metadata. RC_INTEGRITY: no safetensors file, truncated, tensors that overlap or leave gaps, a
 * hash that does not hold, metadata absent or contradicting each other. RC_USAGE: no such file. On failure there is
 * nothing to release. */
Rc weights_open(Weights *w, const char *path, Error *e);
void weights_release(Weights *w);

/* RC_INTEGRITY unless the file holds the tape's parameters and no others (perhaps `batches`), float32 (or BF16
 * or F16, which are exact in it), in shape. */
Rc weights_match(const Weights *w, const Tape *tape, Error *e);

/* Into replica 0 of t, whose tape has matched; t then stands at their step. RC_INTEGRITY when they do not
 * have the hash the file states. */
Rc weights_load(const Weights *w, Trainer *t, Error *e);

#endif
