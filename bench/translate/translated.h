/* Compute BLEU and chrF of a run from greedy translations of its validation sentences. */
#ifndef BENCH_TRANSLATE_TRANSLATED_H
#define BENCH_TRANSLATE_TRANSLATED_H

#include <signal.h>

#include "bench/plan/metric.h"
#include "bench/plan/spec.h"
#include "bench/store/sentences.h"
#include "datasets/dataset.h"
#include "models/trainer.h"

/* Mark these metrics of a whole validation as absent. */
void translated_none(double metric[METRIC_COUNT], bool absent[METRIC_COUNT]);

/* Fill them in for one replica by translating the validation sentences. keep: receives the sentences, or NULL. False:
 * it was stopped, or the logits are NaN, and nothing is filled in. */
bool translated_measure(Trainer *t, int replica, const Dataset *d, const RunSpec *s, double metric[METRIC_COUNT],
                        bool absent[METRIC_COUNT], Translations *keep, const volatile sig_atomic_t *stop);

#endif
