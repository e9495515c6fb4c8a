/* Failures: how many runs of each arm did not train, at the last step of every cell.
 *
 *   diverged  as bench/verdict/sample.h says it
 *   stalled   ended, but not 0.05 nats below the unigram model; never where that is not known
 *   either    one of the two
 *
 * Shares have Clopper-Pearson intervals. Against the baseline: exact McNemar over the seeds where only one of the
 * two arms is among them, its p adjusted by step-down max-T over all arms, cells and the three kinds, seeds flipped
 * jointly. */
#ifndef BENCH_VERDICT_FAILURES_H
#define BENCH_VERDICT_FAILURES_H

#include "bench/verdict/sample.h"

typedef enum { FAILURE_diverged, FAILURE_stalled, FAILURE_either, FAILURE_COUNT } FailureKind;
extern const char *const failure_names[FAILURE_COUNT];

typedef struct {
    StCp share[FAILURE_COUNT];
    StMcnemar against[FAILURE_COUNT]; /* of the baseline itself: ST_BAD_ARG */
    double adjusted[FAILURE_COUNT];   /* p; NaN: not made */
} FailureRow;

typedef struct {
    int cells, arms, seeds;
    double floor;    /* smallest adjusted p; 1: none could be made */
    FailureRow *row; /* [cells][arms] */
} Failures;

/* False, and nothing to release, when the experiment asks for none. */
bool failures_make(Failures *f, const Sample *s);
void failures_release(Failures *f);

#endif
