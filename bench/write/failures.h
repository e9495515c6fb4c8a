/* Runs that diverge or stall (bench/verdict/failures.h) of a table's runs as text, LaTeX and JSON. */
#ifndef BENCH_WRITE_FAILURES_H
#define BENCH_WRITE_FAILURES_H

#include <jansson.h>

#include "bench/write/table.h"

/* Nothing is written for an experiment that does not ask for it (`summaries: [failures]`). json: new reference, null
 * then. */
void failures_text(const Table *t, Text *out);
void failures_tex(const Table *t, Text *out);
json_t *failures_json(const Table *t);

#endif
