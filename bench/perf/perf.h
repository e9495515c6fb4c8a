/* Measure one training step of a run on one core against that core's fma peak and copy bandwidth, which are sampled
 * before, between and after the steps because a shared machine is noisy. */
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

/* All ops of one kind and one pair of widths, over one step. */
typedef struct {
    OpKind kind;
    int in_cols, out_cols; /* columns of the first input and of the output */
    int calls;
    double flops[PASSES];   /* model FLOPs: matmuls and attention over the keys a query sees; 0 for others */
    double bytes[PASSES];   /* least bytes moved: every tensor read or written once */
    double seconds[PASSES]; /* processor time, median over the measured steps */
} PerfOp;

/* Work outside the tape. */
typedef struct {
    double seconds, bytes;
} PerfPart;

typedef struct {
    ModelShape shape;
    size_t parameters;
    double flops;                  /* one step, by tape_flops */
    int steps;                     /* measured steps */
    double step_median, step_best; /* wall-clock seconds */
    double step_own;               /* median of the step's processor time, seconds */
    double undisturbed;            /* share of the measuring time in which this thread had a processor */
    PerfOp *op;
    int ops;
    PerfPart update, norms; /* the optimizer; gradient and update norms */
    PerfRate fma, copy;
    double scaling_runs, scaling_fma; /* throughput of two threads over one; NaN on one processor */
    int sharing;                      /* threads that shared a run; 0: not measured */
    double shared;                    /* throughput of that run over one thread's */
    double memory_one, memory_two;    /* peak resident MB with one trainer, with two; NaN: a second does not fit */
} Perf;

/* Measure for about 10 s, at most about a minute. sharing: threads of the run that several share; below 2: none.
 * RC_UNMEASURED: memory; 128 + signal if stopped. */
Rc perf_measure(Perf *p, const RunSpec *spec, const Dataset *d, const Backend *backend, int sharing, Error *e);
void perf_release(Perf *p);

/* Take one training step of a run and give its model FLOPs per second of one thread's processor time: an estimate
 * counts on it for kernels that no peak describes. RC_UNMEASURED: memory. */
Rc perf_speed(double *flops, const RunSpec *spec, const Dataset *d, const Backend *backend, Error *e);

/* Fill shapes, calls, FLOPs and bytes in order of first appearance; group[tape ops]: each op's index in out->op. */
void perf_count(Perf *out, int *group, const Trainer *t, OptimizerKind optimizer);

/* Return FLOP/s (or bytes/s) in units of 10^9; 0: nothing was counted. */
double perf_rate(double amount, double seconds);

/* Return a step's model FLOPs over those of the best peak in these seconds. */
double perf_utilization(const Perf *p, double seconds);

/* Text of `normbench perf --help` beyond its options; documents the JSON. */
extern const char perf_help[];

#endif
