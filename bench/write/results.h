/* The main tables of an experiment, as Cells: what each arm reached in a cell at a step, and its paired tests. */
#ifndef BENCH_WRITE_RESULTS_H
#define BENCH_WRITE_RESULTS_H

#include "bench/formats/cells.h"
#include "bench/write/table.h"

/* Of one cell's step: "results", the experiment's rows by arms, the write-up's numbers below ours; then "tests" and
 * "intervals" of each arm against the baseline. whole: also "resampling" and "spread", and how numbers were made. */
void results_tables(const Table *t, int cell, int step, bool whole, CellsList *out);

/* Of all cells and steps after 0, in order. */
void results_all(const Table *t, bool whole, CellsList *out);

/* What these marks, of CellMark, mean, and bold numbers where there are any. */
void table_signs(const Table *t, unsigned marks, bool bold, Text *out);

/* Three sentences, the first, the middle and the last, with what the first seed of each arm made of them in the cell
 * where the arm's loss is the lowest; nothing where no run has translations. */
void translations_shown(const Table *t, Text *out);

#endif
