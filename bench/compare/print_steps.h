/* Steps to a target (bench/compare/target_steps.h) of a table's runs: `normbench table EXPERIMENT --target VALUE`
 * prints them and writes NAME-target.txt and NAME-target.json. */
#ifndef BENCH_COMPARE_PRINT_STEPS_H
#define BENCH_COMPARE_PRINT_STEPS_H

#include "bench/compare/target_steps.h"

/* Of every cell: steps by arm, the paired comparisons with the baseline, what must be said beside them. */
void target_steps_text(const TargetSteps *t, const Experiment *x, Text *out);

/* {target, loss, cells: [{factors, steps: [{arm, steps: {SEED: step or null}}], compare}]} */
void target_steps_json(const TargetSteps *t, const Experiment *x, Text *out);

#endif
