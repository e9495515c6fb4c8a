/* Summaries: tables over all cells of an experiment, as Cells (bench/formats/cells.h). Each is one function of what was
 * found; terminal, LaTeX, HTML, CSV and JSON are made of its Cells, and the loops over them stand here. A new summary
 * is a row of bench/plan/summaries.def and its function; nothing else lists them. */
#ifndef BENCH_WRITE_SUMMARIES_H
#define BENCH_WRITE_SUMMARIES_H

#include <jansson.h>

#include "bench/formats/cells.h"
#include "bench/verdict/anytime.h"
#include "bench/verdict/best.h"
#include "bench/verdict/ranking.h"
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

#define SUMMARY(name, make, help) SummaryMake make;
#include "bench/plan/summaries.def"
#undef SUMMARY
SummaryMake sensitivity_tables;

/* ---- The main tables of an experiment: what each arm reached in a cell at a step, and its paired tests ---- */

/* Of one cell's step: "results", the experiment's rows by arms, the write-up's numbers below ours; then "tests" and
 * "intervals" of each arm against the baseline. whole: also "resampling" and "spread", and how numbers were made. */
void results_tables(const Table *t, int cell, int step, bool whole, CellsList *out);

/* Of all cells and steps after 0, in order. */
void results_all(const Table *t, bool whole, CellsList *out);

/* Headings that tables of differences share: "Δ loss, nats", "[95% t interval]", "minus Pre-LN". */
#define HEAD_DIFFERENCE(t) \
    SHOW_TEXT("Δ %s", (t)->metric == METRIC_valid_loss ? "loss, nats" : metric_info[(t)->metric].key)
#define HEAD_INTERVAL(t) SHOW_TEXT("[%s%% t interval]", TABLE_CONFIDENCE(t))
#define HEAD_MINUS(t) SHOW_TEXT("minus %s", (t)->x->arm[(t)->sample.baseline].label)
/* Cells of a difference and its interval. */
void difference_cells(const Comparison *one, Cells *c);

/* What these marks, of CellMark, mean, and bold numbers where there are any. */
void table_signs(const Table *t, unsigned marks, bool bold, Text *out);

/* Three sentences, the first, the middle and the last, with what the first seed of each arm made of them in the cell
 * where the arm's loss is the lowest; nothing where no run has translations. */
void translations_shown(const Table *t, Text *out);

/* ---- What the tables and figures of the ranking (bench/verdict/ranking.h) share, as plain text ---- */

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

/* ---- How p's and intervals that hold at every stop are shown (bench/verdict/anytime.h), of an experiment whose
 * seeds are added until it is decided and of `compare --anytime` alike ---- */

/* The columns behind an arm's name: its difference with the interval, p, with a margin p inside it, when it was
 * decided, how many seeds it needs. conf: of the intervals, .95. withheld: why there is no interval ("diverged"), or
 * NULL. */
void anytime_columns(Cells *c, const char *difference, double conf, bool margin);
void anytime_cells(const Anytime *a, int most, bool margin, const char *withheld, Cells *c);

/* {mean, p, p_inside?, interval: {status, lo, hi}, decided_at, seeds_needed?} into o. withheld: the interval's status,
 * or NULL. */
void anytime_json(const Anytime *a, int most, const char *withheld, json_t *o);

#endif
