/* Validate a trainer's present parameters. */
#ifndef BENCH_RUN_EVALUATE_H
#define BENCH_RUN_EVALUATE_H

#include <signal.h>

#include "bench/store/record.h"
#include "datasets/dataset.h"
#include "models/trainer.h"

/* Validate a trainer's present parameters on all windows; fill out[replicas]. curves[replicas]: each run's curves so
 * far; NULL: unknown, and metrics that need them are NaN. hits[replicas]: filled too; NULL: not wanted. False: *stop
 * became nonzero, and out and hits are invalid. */
bool evaluate_whole(Trainer *t, const Dataset *d, const RunSpec *s, const Curves *const *curves, Evaluation *out,
                    Hits *hits, const volatile sig_atomic_t *stop);

/* Results of a pass over a batch: the nll of its targets (nats), how many were predicted right, and how many there are;
 * hit[rows]: which were; NULL: not wanted. */
typedef struct {
    double nll;
    long hits, count;
} Score;
Score evaluate_score(const Trainer *t, int replica, const RunSpec *s, bool *hit);

#endif
