/* Cost of eight bits for a trained model: its loss with the blocks' products in INT8 or FP8 (models/quantized.h) minus
 * its loss, both over the first windows of the validation text, for experiments with `quantize: true`. */
#ifndef BENCH_RUN_QUANTIZED_H
#define BENCH_RUN_QUANTIZED_H

#include "bench/store/record.h"
#include "datasets/dataset.h"
#include "models/trainer.h"

/* Windows of the measurement; all, if there are fewer. */
enum { QUANTIZED_WINDOWS = 64 };

/* Mark the metrics of kernels/quantizations.def as not measured. */
void quantized_none(Evaluation *v);
bool quantized_known(const Evaluation *v);

/* Fill them in for every replica, v[replicas], from t's present parameters; nothing is filled in if *stop became
 * nonzero, or on a device. */
void quantized_measure(Trainer *t, const Dataset *d, const RunSpec *s, Evaluation *v,
                       const volatile sig_atomic_t *stop);

#endif
