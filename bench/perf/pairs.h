/* What one arm's training step costs beside another's: both trained in turn on one core, a step of one, a step of the
 * other, the order changed from pair to pair, so that whatever slows the machine slows both. */
#ifndef BENCH_PERF_PAIRS_H
#define BENCH_PERF_PAIRS_H

#include "bench/plan/spec.h"
#include "datasets/dataset.h"
#include "kernels/backend.h"

/* Counted of one step of an arm. */
typedef struct {
    double flops, bytes; /* model FLOPs (tape_flops); every tensor of every pass moved once */
    double memory;       /* bytes of a run (trainer_bytes) */
    double normed;       /* numbers that norms make, forward */
    int norms;           /* norm ops, forward */
    size_t parameters;
    double seconds, best; /* of processor time: median and least */
} PairSide;

typedef struct {
    PairSide arm, baseline;
    int pairs;
    double ratio, lo, hi; /* median over pairs of arm's over baseline's seconds; 95 % interval of that median */
} PerfPair;

/* Takes about `seconds`, 10 pairs at least. RC_UNMEASURED: memory; 128 + signal when stopped. */
Rc pairs_measure(PerfPair *out, const RunSpec *arm, const RunSpec *baseline, const Dataset *d, const Backend *backend,
                 double seconds, Error *e);

#endif
