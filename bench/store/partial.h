/* Partial: the part of an experiment that is stored already, as whole seeds: those of which every cell and arm has its
 * run. Whoever tables them says so; nothing is decided from them. */
#ifndef BENCH_STORE_PARTIAL_H
#define BENCH_STORE_PARTIAL_H

#include "bench/store/store.h"

/* Leaves x those seeds alone (its plan stays what was declared) and says what is missing: "4 of 6 seeds; missing: 3 of
 * 4 runs of seed 5, 4 of 4 of seed 6"; *words stays empty when nothing is. RC_UNMEASURED: no seed is whole yet; x is
 * as before. */
Rc partial_seeds(const Store *s, Experiment *x, Text *words, Error *e);

#endif
