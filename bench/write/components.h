/* Components of variance (bench/verdict/components.h) of a table's runs as text, LaTeX and JSON. */
#ifndef BENCH_WRITE_COMPONENTS_H
#define BENCH_WRITE_COMPONENTS_H

#include <jansson.h>

#include "bench/write/table.h"

/* Nothing is written for an experiment that does not ask for them (`summaries: [components]`). json: new reference,
 * null then. */
void components_text(const Table *t, Text *out);
void components_tex(const Table *t, Text *out);
json_t *components_json(const Table *t);

#endif
