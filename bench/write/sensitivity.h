/* The sensitivity to the learning rate (bench/verdict/sensitivity.h) of a table's runs as text, LaTeX and JSON. */
#ifndef BENCH_WRITE_SENSITIVITY_H
#define BENCH_WRITE_SENSITIVITY_H

#include <jansson.h>

#include "bench/write/table.h"

/* Nothing is written for an experiment that is no sweep over the rate. json: new reference, null then. */
void sensitivity_text(const Table *t, Text *out);
void sensitivity_tex(const Table *t, Text *out);
json_t *sensitivity_json(const Table *t);

/* A learning rate as a reader types it: "3e-4", "1.5e-3", "2". */
char *show_rate(char out[SHOWN], double rate);

#endif
