/* Partial: the stored part of an experiment in whole seeds: those that have a run in every cell and arm. Tables of it
 * say so; nothing is decided from it. */
#ifndef BENCH_STORE_PARTIAL_H
#define BENCH_STORE_PARTIAL_H

#include "bench/store/store.h"

/* Count each seed's runs that are not stored in any class or arithmetic: [seeds], freed by the caller. */
int *partial_missing(const Store *s, const Experiment *x);

/* Reduce x to those seeds (its plan stays the declared one) and say what is missing: "4 of 6 seeds; missing: 3 of 4
 * runs of seed 5, 4 of 4 of seed 6"; *words stays empty if nothing is. RC_UNMEASURED: no seed is whole; x is unchanged.
 * */
Rc partial_seeds(const Store *s, Experiment *x, Text *words, Error *e);

#endif
