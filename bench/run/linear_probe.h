/* Linear probes: accuracy with which a linear readout of each block's output predicts the next token (Alain and Bengio
 * 2016, "Understanding intermediate layers using linear classifier probes"). This is the curve linear_probe of
 * experiments that ask for it; only the last row, after all steps, has numbers.
 *
 * A probe is a ridge regression of the next token (stats/ridge.h, lambda 1e-3), fitted on crops of the train part and
 * scored on windows of validation: LINEAR_PROBE_POSITIONS positions each, rounded up to whole batches, or all of
 * validation if it is shorter. The crops are those of seed 0, from which no run draws, the windows are spread evenly
 * over the text: the same positions for every run and placement of one batch and context. No dropout. */
#ifndef BENCH_RUN_LINEAR_PROBE_H
#define BENCH_RUN_LINEAR_PROBE_H

#include "bench/plan/spec.h"
#include "datasets/dataset.h"
#include "models/trainer.h"

enum { LINEAR_PROBE_POSITIONS = 8192 };

/* Compute accuracy[replicas][layers] of a trainer's present parameters, the share of positions whose next token has the
 * largest score; NaN if no probe can be fitted. The trainer was made with the probe. False: *stop became nonzero, and
 * accuracy is invalid. */
bool linear_probes(Trainer *t, const Dataset *d, const RunSpec *s, double *accuracy,
                   const volatile sig_atomic_t *stop);

#endif
