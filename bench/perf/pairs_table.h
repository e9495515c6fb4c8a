/* normbench perf EXPERIMENT --baseline ARM: what each other arm's step costs beside that arm's. */
#ifndef BENCH_PERF_PAIRS_TABLE_H
#define BENCH_PERF_PAIRS_TABLE_H

#include <jansson.h>

#include "bench/store/session.h"

/* The first cell and seed of an experiment. Prints unless `quiet`, and appends an object per arm to list. RC_USAGE: no
 * such arm. */
Rc perf_pairs(Session *s, const Experiment *x, const char *baseline, bool quiet, json_t *list, Error *e);

#endif
