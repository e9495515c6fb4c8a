/* Summaries: tables over all cells of an experiment, as Cells (bench/formats/cells.h). Each is one function of what was
 * found; terminal, LaTeX, HTML, CSV and JSON are made of its Cells, and the loops over them stand here. A new summary
 * is a row of bench/plan/summaries.def and its function; nothing else lists them. */
#ifndef BENCH_WRITE_SUMMARIES_H
#define BENCH_WRITE_SUMMARIES_H

#include <jansson.h>

#include "bench/formats/cells.h"
#include "bench/write/table.h"

/* The tables of one summary, in order; none where the experiment does not ask for it or has not what it needs. The
 * first is called as the summary. */
typedef void SummaryMake(const Table *t, CellsList *out);

typedef struct {
    const char *name; /* of files, NAME-name.tex, and of JSON's member */
    SummaryMake *make;
    bool measured; /* times: different on every machine, and so not part of what must come out the same */
} SummaryRow;

extern const SummaryRow summary_rows[];
extern const int summary_count;

/* Made when it is first asked for; the table's. */
const CellsList *table_summary(const Table *t, int kind);

/* What the summary `across` says of each pair, in one sentence without its point; false: the experiment has none. */
bool across_found(const Table *t, Text *out);

void summaries_text(const Table *t, bool measured, int width, Text *out);
void summaries_html(const Table *t, Text *out); /* the measured ones too */
json_t *summaries_json(const Table *t);         /* {summary: [{table, title, rows}]}; new reference */
/* Its LaTeX behind the header comment, or nothing. */
void summary_tex(const Table *t, int kind, Text *out);
void summary_csv(const Table *t, int kind, Text *out); /* of its first table */

/* "EXPLORATORY: TITLE. ": what stands before the titles of the table's LaTeX. */
TexLayout table_layout(const Table *t, Text *mark);

/* A rate as people write it: "3e-3". */
char *show_rate(char out[SHOWN], double rate);

#define SUMMARY(name, make, help) SummaryMake make;
#include "bench/plan/summaries.def"
#undef SUMMARY
SummaryMake every_cell_tables, sensitivity_tables, cost_tables;

#endif
