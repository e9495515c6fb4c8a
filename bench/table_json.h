/* Parts of NAME.json, each a new reference. NaN and infinities are strings; a statistic that could not be made is
 * {"status": why} with what is known of it. Names are stable: schema 1. */
#ifndef BENCH_TABLE_JSON_H
#define BENCH_TABLE_JSON_H

#include <jansson.h>

#include "bench/table.h"

enum { TABLE_SCHEMA = 1 };

/* {alpha, n, comparisons, floor, joint: {…}, at: [comparison …]} */
json_t *json_family(const Table *t, const Family *f);

/* Every statistic of one comparison: exact p's as {p, count, total}. */
json_t *json_comparison(const Table *t, const Comparison *c);

/* {file, family, verdicts: […]}, or null without claims. */
json_t *json_claims(const Table *t);

void json_put(json_t *object, const char *key, double x);
void json_put_text(json_t *object, const char *key, const char *text);

#endif
