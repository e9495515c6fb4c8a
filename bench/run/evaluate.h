/* What the parameters that a trainer holds now give on the validation part. */
#ifndef BENCH_RUN_EVALUATE_H
#define BENCH_RUN_EVALUATE_H

#include <signal.h>

#include "bench/store/record.h"
#include "datasets/dataset.h"
#include "models/trainer.h"

/* Whole validation of the parameters a trainer holds now; fills out[replicas]. curves[replicas]: what each run's say so
 * far; NULL: not known, and metrics that need them are NaN. hits[replicas]: filled too; NULL: not wanted. False when
 * *stop became nonzero on the way: then out and hits hold nothing. */
bool evaluate_whole(Trainer *t, const Dataset *d, const RunSpec *s, const Curves *const *curves, Evaluation *out,
                    Hits *hits, const volatile sig_atomic_t *stop);

/* After a pass over a batch: the nll of its targets (nats), how many were predicted right, and how many there are;
 * hit[rows]: which; NULL: not wanted. */
typedef struct {
    double nll;
    long hits, count;
} Score;
Score evaluate_score(const Trainer *t, int replica, const RunSpec *s, bool *hit);

#endif
