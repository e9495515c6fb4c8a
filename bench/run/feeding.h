/* A run's inputs, as its objective makes them of the corpus: the one way into a trainer's feeds. */
#ifndef BENCH_RUN_FEEDING_H
#define BENCH_RUN_FEEDING_H

#include "bench/plan/spec.h"
#include "datasets/dataset.h"
#include "datasets/pairs.h"
#include "models/trainer.h"

/* RC_USAGE: the corpus is not what the objective needs, or too short for one batch and one validation window. */
Rc feed_fits(const RunSpec *s, const Dataset *d, Error *e);

/* How the sentences of a run that translates become rows. */
Packing feed_packing(const RunSpec *s);

/* Into the feeds of one replica: the batch of update `step` of the runs that draw theirs by `seed`. */
void feed_step(Trainer *t, int replica, const Dataset *d, const RunSpec *s, uint64_t seed, uint64_t step);

/* What every update of a run reads, a row of numbers each: where its crops start in the training part or, of a run that
 * translates, its pairs among those of training with no empty line, -1 behind the last. */
typedef struct {
    int64_t *number; /* [steps][columns] */
    int64_t steps, columns;
} FeedBatches;

/* RC_USAGE: an objective for which that is not all it reads, or more numbers than fit into one tensor; then there is
 * nothing to release. */
Rc feed_batches(FeedBatches *out, const RunSpec *s, const Dataset *d, Error *e);
void feed_batches_release(FeedBatches *b);

/* Validation windows first .. first + batch - 1, first a multiple of batch; of sentence pairs a window is one of the
 * `batch` parts of a packed batch. */
void feed_windows(Trainer *t, int replica, const Dataset *d, const RunSpec *s, size_t first);

/* All of them, and the targets that they leave out: of a masked model those that the tokens behind the last whole
 * window would be asked for. */
size_t feed_window_count(const RunSpec *s, const Dataset *d);
size_t feed_dropped(const RunSpec *s, const Dataset *d);

/* Whether a device can hold the corpus and draw the batches from it alone (trainer_keep_corpus). */
bool feed_by_device(const RunSpec *s, const Dataset *d);

#endif
