/* How a run ended, as lists and tables say it alike. */
#ifndef BENCH_STORE_ENDED_H
#define BENCH_STORE_ENDED_H

#include "bench/store/record.h"

/* Whether the run counts as diverged at a step: it met a number that is not finite by then, or its loss is above ln of
 * the vocabulary and no lower than where it began. */
bool record_diverged(const RunRecord *r, int step);

/* "ok", "failed", or "diverged" also where the run ended and counts as diverged at its last evaluation. */
const char *record_status(const RunRecord *r);

#endif
