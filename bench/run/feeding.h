/* A run's inputs, as its objective makes them of the corpus: the one way into a trainer's feeds. */
#ifndef BENCH_RUN_FEEDING_H
#define BENCH_RUN_FEEDING_H

#include "bench/plan/spec.h"
#include "datasets/dataset.h"
#include "models/trainer.h"

/* Into the feeds of one replica: the batch of update `step` of the runs that draw theirs by `seed`. */
void feed_step(Trainer *t, int replica, const Dataset *d, const RunSpec *s, uint64_t seed, uint64_t step);

/* Validation windows first .. first + batch - 1. Returns how many of them there are (dataset_windows_fill). */
int feed_windows(Trainer *t, int replica, const Dataset *d, const RunSpec *s, size_t first);

/* Whether a device can hold the corpus and draw the batches from it alone (trainer_keep_corpus). */
bool feed_by_device(const RunSpec *s, const Dataset *d);

#endif
