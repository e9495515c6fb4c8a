/* Which targets one arm of a pair alone predicts right (bench/verdict/targets.h), as text and as JSON. */
#ifndef BENCH_WRITE_TARGETS_H
#define BENCH_WRITE_TARGETS_H

#include "bench/verdict/targets.h"
#include "bench/write/stat_json.h"
#include "bench/write/table.h"

/* Sentences for the claims' ledger: the counts and McNemar's p of each seed, why they decide nothing, and which arm is
 * above always saying the most frequent target. Nothing where there are none. */
void targets_text(const Table *t, const Contrast *w, Text *out);

/* The same as a table, a row for each seed, for trace. */
void targets_rows(const Table *t, const Contrast *w, int width, Text *out);

/* {n, most_frequent, arms: [{arm, accuracy, above_most_frequent}], seeds: [{seed, only_first, only_second, p}], note};
 * NULL where there are none. */
json_t *targets_json(const Table *t, const Contrast *w);

#endif
