/* One training step of a run on one core, measured against what the same core can do in the same minute: its fma peak
 * and its copy bandwidth, sampled before, between and after the steps because a shared machine is noisy. */
#ifndef BENCH_PERF_PERF_H
#define BENCH_PERF_PERF_H

#include "bench/plan/spec.h"
#include "datasets/dataset.h"
#include "kernels/backend.h"
#include "models/trainer.h"

/* Samples of a rate: GFLOP/s or GB/s. */
typedef struct {
    double best, median, least;
    int samples;
} PerfRate;

enum { PASS_FORWARD, PASS_BACKWARD, PASSES };

/* All ops of one kind between one pair of widths, over one step. */
typedef struct {
    OpKind kind;
    int in_cols, out_cols; /* of the first input and of the output */
    int calls;
    double flops[PASSES];   /* model FLOPs: matmuls and attention over the keys a query sees; 0 for others */
    double bytes[PASSES];   /* what must move at least: every tensor read or written once */
    double seconds[PASSES]; /* of processor time, median over the measured steps */
} PerfOp;

/* What stands outside the tape. */
typedef struct {
    double seconds, bytes;
} PerfPart;

typedef struct {
    ModelShape shape;
    size_t parameters;
    double flops;                  /* of one step, by tape_flops */
    int steps;                     /* measured */
    double step_median, step_best; /* seconds by the clock on the wall */
    double step_own;               /* median of the seconds in which the step had a processor */
    double undisturbed;            /* share of the measuring time in which this thread had a processor */
    PerfOp *op;
    int ops;
    PerfPart update, norms; /* the optimizer; gradient and update norms */
    PerfRate fma, copy;
    double scaling_runs, scaling_fma; /* two threads at once over one, in throughput; NaN on one processor */
    int sharing;                      /* threads that shared a run; 0: not measured */
    double shared;                    /* that run's throughput over one thread's */
    double memory_one, memory_two;    /* MB resident at most: with one trainer, with two; NaN: a second does not fit */
} Perf;

/* Takes about 10 s, at most a minute or so. sharing: the threads of the run that several share; below 2, none does.
 * RC_UNMEASURED: memory; 128 + signal when stopped. */
Rc perf_measure(Perf *p, const RunSpec *spec, const Dataset *d, const Backend *backend, int sharing, Error *e);
void perf_release(Perf *p);

/* Fills shapes, calls, FLOPs and bytes in order of first appearance; group[tape ops] is each op's index in out->op. */
void perf_count(Perf *out, int *group, const Trainer *t, OptimizerKind optimizer);

/* FLOP/s (or bytes/s) in units of 10^9; 0 when nothing was counted. */
double perf_rate(double amount, double seconds);

/* Model FLOPs of a step over what the best peak would have done in these seconds. */
double perf_utilization(const Perf *p, double seconds);

/* What `normbench perf --help` says beyond its options; documents the JSON. */
extern const char perf_help[];

#endif
