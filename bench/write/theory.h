/* The table of statements about networks before their first step, made of their verdicts. */
#ifndef BENCH_WRITE_THEORY_H
#define BENCH_WRITE_THEORY_H

#include <jansson.h>

#include "base/text.h"
#include "bench/formats/plot.h"
#include "bench/formats/cells.h"
#include "bench/verdict/theory.h"

enum { THEORY_TABLE_SCHEMA = 2 };

/* What `*` behind a prediction means. */
#define THEORY_STAR \
    "A star marks a prediction whose window or rule was set, or whose network was resized, after a first run had " \
    "been seen"

/* What the names of settings mean. */
#define THEORY_SETTINGS \
    "XIONG is the setting of Xiong et al. 2020, GPT the architecture at GPT-2's start, OWN the same at a write-up's " \
    "own size, ALONE a part of a network; L is the number of blocks, d the width"

/* A statement's setting in words: "GPTs of the write-up's own size, depth 12, width 512, 32 tokens". */
void theory_setting(const Statement *s, Text *out);

/* "WHAT: measured [interval], predicted …, 8 seeds; STATEMENT (SETTING)": a claim's line in the ledger. */
void theory_summary(const StatementVerdict *v, Text *out);

/* A row for each statement: statement, predicted, measured, seeds, verdict; for programs also what, setting, source,
 * decided_by, window_lo, window_hi, points, lo, hi, z, largest_error and not_finite_from. Initializes c. */
void theory_cells(const StatementVerdict *v, int count, Cells *c);

json_t *theory_statement_json(const StatementVerdict *v); /* one such row; new reference */

/* Files of it: text of PAGE_WIDTH columns, LaTeX behind a comment, {schema, statements: [ROW]}. */
void theory_text(const Cells *c, Text *out);
void theory_tex(const Cells *c, Text *out);
void theory_json(const Cells *c, Text *out);

#endif
