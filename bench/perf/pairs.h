/* Compare the cost of two arms' training steps: train both on one core, a step of each in turn, alternating the order,
 * so that whatever slows the machine slows both. */
#ifndef BENCH_PERF_PAIRS_H
#define BENCH_PERF_PAIRS_H

#include <jansson.h>

#include "bench/plan/spec.h"
#include "bench/store/session.h"
#include "datasets/dataset.h"
#include "kernels/backend.h"

/* Cost of one step of an arm. */
typedef struct {
    double flops, bytes; /* model FLOPs (tape_flops); every tensor of every pass moved once */
    double memory;       /* bytes of a run (trainer_bytes) */
    double normed;       /* numbers that norms write in forward */
    int norms;           /* norm ops in forward */
    size_t parameters;
    double seconds, best; /* processor time: median and least */
} PairSide;

typedef struct {
    PairSide arm, baseline;
    int pairs;
    double ratio, lo, hi; /* median over pairs of arm's over baseline's seconds; 95 % interval of that median */
} PerfPair;

/* Measure for about `seconds`, at least 10 pairs. RC_UNMEASURED: memory; 128 + signal if stopped. */
Rc pairs_measure(PerfPair *out, const RunSpec *arm, const RunSpec *baseline, const Dataset *d, const Backend *backend,
                 double seconds, Error *e);

/* `perf EXPERIMENT --baseline ARM`, of its first cell and seed. Prints unless `quiet`, and appends an object per arm
 * to list. RC_USAGE: no such arm. */
Rc perf_pairs(Session *s, const Experiment *x, const char *baseline, bool quiet, json_t *list, Error *e);

#endif
