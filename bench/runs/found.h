/* What a run that is whole has found, in one sentence. */
#ifndef BENCH_RUNS_FOUND_H
#define BENCH_RUNS_FOUND_H

#include "bench/store/session.h"

/* Prints it; nothing where runs are missing, nothing is compared, or there are several cells without a summary. */
void run_found(const Session *s, const Experiment *x);

#endif
