/* BLEU and chrF of a run that translates: of greedy translations of its validation sentences. */
#ifndef BENCH_TRANSLATE_TRANSLATED_H
#define BENCH_TRANSLATE_TRANSLATED_H

#include <signal.h>

#include "bench/plan/metric.h"
#include "bench/plan/spec.h"
#include "bench/store/sentences.h"
#include "datasets/dataset.h"
#include "models/trainer.h"

/* A whole validation without its metrics. */
void translated_none(double metric[METRIC_COUNT], bool absent[METRIC_COUNT]);

/* Fills them in for one replica by translating the validation sentences. keep: NULL, or where the sentences go. False:
 * it was stopped, or the logits are no numbers, and nothing is filled in. */
bool translated_measure(Trainer *t, int replica, const Dataset *d, const RunSpec *s, double metric[METRIC_COUNT],
                        bool absent[METRIC_COUNT], Translations *keep, const volatile sig_atomic_t *stop);

#endif
