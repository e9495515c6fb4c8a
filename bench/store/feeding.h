/* Inputs of a run, made from the corpus for its objective: nothing else fills a trainer's feeds. */
#ifndef BENCH_STORE_FEEDING_H
#define BENCH_STORE_FEEDING_H

#include "bench/plan/spec.h"
#include "datasets/dataset.h"
#include "datasets/pairs.h"
#include "models/trainer.h"

/* Check the corpus. RC_USAGE: the objective needs another kind, or it is too short for a batch and a validation window.
 * */
Rc feed_fits(const RunSpec *s, const Dataset *d, Error *e);

/* Fill the feeds of one replica with the batch of update `step` of runs that draw by `seed`. */
void feed_step(Trainer *t, int replica, const Dataset *d, const RunSpec *s, uint64_t seed, uint64_t step);

/* Input of every update of a run, a row each: the starts of its crops in the training part or, for a run that
 * translates, the indices of its pairs among the training pairs without empty lines, then -1. */
typedef struct {
    int64_t *number; /* [steps][columns] */
    int64_t steps, columns;
} FeedBatches;

/* List the batches. RC_USAGE: the objective reads more than that, or the numbers do not fit into one tensor; then there
 * is nothing to release. */
Rc feed_batches(FeedBatches *out, const RunSpec *s, const Dataset *d, Error *e);
void feed_batches_release(FeedBatches *b);

/* Fill the feeds with validation windows first .. first + batch - 1, first a multiple of batch; a window of sentence
 * pairs is one of the `batch` parts of a packed batch. */
void feed_windows(Trainer *t, int replica, const Dataset *d, const RunSpec *s, size_t first);

/* Run forward over these windows, the same in every replica; return the bytes of their targets. */
size_t feed_forward(Trainer *t, const Dataset *d, const RunSpec *s, size_t first);

/* Return the number of windows, and of targets that they leave out: for a masked model, those in the tokens after the
 * last whole window. */
size_t feed_window_count(const RunSpec *s, const Dataset *d);
size_t feed_dropped(const RunSpec *s, const Dataset *d);

/* Return true if a device can hold the corpus and draw batches by itself (trainer_keep_corpus). */
bool feed_by_device(const RunSpec *s, const Dataset *d);

#endif
