/* The table of statements about networks before their first step, printed from their verdicts. */
#ifndef BENCH_WRITE_THEORY_H
#define BENCH_WRITE_THEORY_H

#include <jansson.h>

#include "base/text.h"
#include "bench/formats/plot.h"
#include "bench/verdict/theory.h"

/* "1.4987", "largest error 3e-15"; "[1.4950, 1.5024]" or ""; "not finite from x = 625 on in 4 of 4 seeds" or "". */
void theory_measured(const StatementVerdict *v, Text *out);
void theory_interval(const StatementVerdict *v, Text *out);
void theory_finding(const StatementVerdict *v, Text *out);

/* What `*` behind a prediction means. */
#define THEORY_STAR \
    "*: this prediction's window or rule was set, or its network resized, after a first run had been seen"

/* "LABEL: measured [interval], predicted …, n = 8; STATEMENT does not hold": a claim's line in the ledger. */
void theory_summary(const StatementVerdict *v, Text *out);

void theory_text(const StatementVerdict v[STATEMENT_COUNT], Text *out); /* for the terminal */
void theory_csv(const StatementVerdict v[STATEMENT_COUNT], Text *out);
void theory_tex(const StatementVerdict v[STATEMENT_COUNT], Text *out);

/* {schema, statements: [STATEMENT]}, STATEMENT: {statement, what, predicted, setting, source, decided_by, window_lo,
 * window_hi, seeds, points, measured, lo, hi, z, largest_error, not_finite_from?, verdict}; what there is not is the
 * string "nan". The function for one gives a new reference. */
void theory_json(const StatementVerdict v[STATEMENT_COUNT], Text *out);
json_t *theory_statement_json(const StatementVerdict *v);

/* The figure as data; theory.svg and so on into folder, with the codes of plot_draw; its caption. */
Rc theory_draw(const StatementVerdict v[STATEMENT_COUNT], const char *folder, int formats, Error *e);
void theory_plot(const StatementVerdict v[STATEMENT_COUNT], Plot *p);
void theory_caption(Text *out);

#endif
