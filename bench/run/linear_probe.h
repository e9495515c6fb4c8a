/* Linear probes: how much of the next token a linear readout finds in the residual stream that leaves each block
 * (Alain and Bengio 2016, "Understanding intermediate layers using linear classifier probes"). The curve linear_probe
 * of experiments that ask for it; it stands in the last row alone, that of the parameters after all steps.
 *
 * A probe is a ridge regression of the next token (stats/ridge.h, lambda 1e-3), fitted on crops of the train part and
 * scored on windows of validation: LINEAR_PROBE_POSITIONS positions each, or as few more as whole batches make; of
 * validation, all there are where it is shorter. The crops are those of seed 0, from which no run draws, the windows
 * stand evenly in the text: the same positions for every run and placement of one batch and context. No dropout. */
#ifndef BENCH_RUN_LINEAR_PROBE_H
#define BENCH_RUN_LINEAR_PROBE_H

#include "bench/plan/spec.h"
#include "datasets/dataset.h"
#include "models/trainer.h"

enum { LINEAR_PROBE_POSITIONS = 8192 };

/* Of the parameters a trainer holds now: accuracy[replicas][layers], the share of positions whose next token has the
 * largest score; NaN where no probe can be fitted. The trainer was made with the probe. False when *stop became nonzero
 * on the way: then accuracy holds nothing. */
bool linear_probes(Trainer *t, const Dataset *d, const RunSpec *s, double *accuracy,
                   const volatile sig_atomic_t *stop);

#endif
