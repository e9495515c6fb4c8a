/* The ranking of arms at their best learning rates (bench/verdict/ranking.h) of a table's runs. Nothing is written
 * for an experiment that does not ask for it (`summaries: [ranking]`). */
#ifndef BENCH_WRITE_RANKING_H
#define BENCH_WRITE_RANKING_H

#include <jansson.h>

#include "bench/verdict/ranking.h"
#include "bench/write/table.h"

enum { RANKING_DIGITS = 3 }; /* decimals of losses */

void ranking_text(const Table *t, Text *out);
void ranking_tex(const Table *t, Text *out);
void ranking_csv(const Table *t, Text *out); /* a line per group and arm, by rank */
json_t *ranking_json(const Table *t);        /* new reference; null */

/* Loss beside what the arms cost, by rank. Measured times are among it. */
void ranking_cost_text(const Table *t, Text *out);
void ranking_cost_tex(const Table *t, Text *out);

/* What the writers share. Plain text: what stands above the table; "3e-3 (5), 1e-2 (1)", the rates that seeds got,
 * "*" where it is an end of the grid, or "no rate trains (18/18)", where each of so many runs diverged or stalled;
 * "1e-3 to 1e-2, 1.0"; "2 to 5", "3". */
void ranking_words(const Table *t, const Ranking *y, Text *out);
void ranking_methods(const Table *t, const Ranking *y, Text *out); /* its intervals and tests */
void ranking_rates(const Ranking *y, const RankingRow *row, Text *out);
void ranking_basin(const Ranking *y, const RankingRow *row, Text *out);
void ranking_places(const Ranking *y, const RankingRow *row, Text *out);

void ranking_legend(Text *out); /* what basin, *, diverged and stalled mean */

/* "[2.31, 2.35]", or why there is none: of the arm alone, and of its difference to the baseline. */
void ranking_interval(const RankingRow *row, bool difference, bool latex, Text *out);

#endif
