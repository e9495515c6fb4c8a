/* What the tables and figures of the ranking (bench/verdict/ranking.h) share, as plain text. */
#ifndef BENCH_WRITE_RANKING_H
#define BENCH_WRITE_RANKING_H

#include "bench/verdict/ranking.h"
#include "bench/write/table.h"

enum { RANKING_DIGITS = 3 }; /* decimals of losses */

/* What stands above the table. */
void ranking_words(const Table *t, const Ranking *y, Text *out);

/* "3e-3 (5), 1e-2 (1)", the rates that seeds got, "*" at an end of the grid, or "no rate trains (18/18)", where
 * each of so many runs diverged or stalled. */
void ranking_rates(const Ranking *y, const RankingRow *row, Text *out);

/* "2 to 5", "3". */
void ranking_places(const Ranking *y, const RankingRow *row, Text *out);

/* "[2.31, 2.35]", or why there is none: of the arm alone, and of its difference to the baseline. */
void ranking_interval(const RankingRow *row, bool difference, bool latex, Text *out);

#endif
