/* What eight bits cost a trained model: its loss with the blocks' products in INT8 or FP8 (models/quantized.h)
 * minus its loss, both over the first windows of the validation text, as a share of an experiment that says
 * `quantize: true`. */
#ifndef BENCH_RUN_QUANTIZED_H
#define BENCH_RUN_QUANTIZED_H

#include "bench/store/record.h"
#include "datasets/dataset.h"
#include "models/trainer.h"

/* Of all its windows, when there are fewer. */
enum { QUANTIZED_WINDOWS = 64 };

/* Marks the metrics of kernels/quantizations.def as not measured. */
void quantized_none(Evaluation *v);
bool quantized_known(const Evaluation *v);

/* Fills them in for every replica: v[replicas], of the parameters that t holds now. Nothing is filled in when *stop
 * became nonzero on the way, or on a device. */
void quantized_measure(Trainer *t, const Dataset *d, const RunSpec *s, Evaluation *v,
                       const volatile sig_atomic_t *stop);

#endif
