/* Steps to a target: the first step at which a run's validation loss is at or below it, as MLPerf counts time to
 * train, compared with the baseline's by the engine of `normbench compare --target` (bench/compare/compare.h), a family
 * of tests per cell. A run that never gets there is counted, not dropped: it ranks last, in means it counts as the step
 * behind the last, and a verdict needs the ranks to agree.
 *
 * The loss is the curve `valid_loss`, of a fixed slice every curve_every steps; where some run has no such curve, the
 * whole validations of evaluate_at for all runs. */
#ifndef BENCH_COMPARE_TARGET_STEPS_H
#define BENCH_COMPARE_TARGET_STEPS_H

#include "bench/compare/compare.h"
#include "bench/verdict/sample.h"

typedef struct {
    double target;
    bool whole; /* whole validations, not the curve */
    int cells;
    CompareData *data; /* [cells] */
    CompareResult *of; /* [cells] */
} TargetSteps;

/* s outlives nothing of it. RC_UNMEASURED: one arm alone. On failure *t is zeroed. */
Rc target_steps_make(TargetSteps *t, const Sample *s, double target, int threads, Error *e);
void target_steps_release(TargetSteps *t);

/* Of every cell: steps by arm, the paired comparisons with the baseline, what must be said beside them. */
void target_steps_text(const TargetSteps *t, const Experiment *x, Text *out);

/* {target, loss, cells: [{factors, steps: [{arm, steps: {SEED: step or null}}], compare}]} */
void target_steps_json(const TargetSteps *t, const Experiment *x, Text *out);

#endif
