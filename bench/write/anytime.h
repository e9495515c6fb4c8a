/* How p's and intervals that hold at every stop are shown (bench/verdict/anytime.h), of an experiment whose seeds are
 * added until it is decided and of `compare --anytime` alike. */
#ifndef BENCH_WRITE_ANYTIME_H
#define BENCH_WRITE_ANYTIME_H

#include <jansson.h>

#include "bench/formats/cells.h"
#include "bench/verdict/anytime.h"

/* The columns behind an arm's name: its difference with the interval, p, with a margin p inside it, when it was
 * decided, how many seeds it needs. conf: of the intervals, .95. */
void anytime_columns(Cells *c, const char *difference, double conf, bool margin);
void anytime_cells(const Anytime *a, int most, bool margin, Cells *c);

/* {mean, p, p_inside?, interval: {status, lo, hi}, decided_at, seeds_needed?} into o. */
void anytime_json(const Anytime *a, int most, json_t *o);

#endif
