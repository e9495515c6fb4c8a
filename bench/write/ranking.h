/* What the tables and figures of the ranking (bench/verdict/ranking.h) share, as plain text. */
#ifndef BENCH_WRITE_RANKING_H
#define BENCH_WRITE_RANKING_H

#include "bench/verdict/best.h"
#include "bench/verdict/ranking.h"
#include "bench/write/table.h"

enum { RANKING_DIGITS = 3 }; /* decimals of losses */

/* "3e-3 (5), 1e-2* (1)": the rates that were chosen, and for how many seeds; *: an end of the grid. */
void ranking_rates(const Ranking *y, const RankingRow *row, Text *out);

/* "2 to 5", "3". */
void ranking_places(const Ranking *y, const RankingRow *row, Text *out);

/* "[2.31, 2.35]" of the arm alone, or why there is none. */
void ranking_interval(const RankingRow *row, Text *out);

/* "With each arm at its best of 3 learning rates, Mine ends 0.307 nats lower than Pre-LN (95% t interval …): better
 * than Pre-LN." */
void best_sentence(const Table *t, const Best *b, const BestPair *p, Text *out);

#endif
