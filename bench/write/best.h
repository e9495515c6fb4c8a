/* What is found of arms at their best learning rates (bench/verdict/best.h), in words. */
#ifndef BENCH_WRITE_BEST_H
#define BENCH_WRITE_BEST_H

#include "bench/verdict/best.h"
#include "bench/write/table.h"

/* "With each arm at its best of 3 learning rates, Mine ends 0.307 nats lower than Pre-LN (95% t interval …): better
 * than Pre-LN." */
void best_sentence(const Table *t, const Best *b, const BestPair *p, Text *out);

#endif
