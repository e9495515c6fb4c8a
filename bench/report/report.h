/* Report: everything in results/ on one page that takes ten minutes: what was asked (a row for each experiment, with
 * its size), what was found (a row for each comparison, with a picture), what is open. All else is folded: figures and
 * tables of each experiment; theory, claims, choices, provenance, what was not run. report.html stands alone: no
 * network, no script, figures inline as SVG, light and dark, wide and narrow; the files of results/ that it names are
 * links beside it. report.pdf is the draft of a paper: abstract, methods, what was found, and the tables and figures of
 * each experiment, none of which floats; report.bib has the papers that it cites. All are made from the records;
 * nothing is trained. The same results give the same bytes. */
#ifndef BENCH_REPORT_REPORT_H
#define BENCH_REPORT_REPORT_H

#include "bench/figures/figure.h"
#include "bench/formats/html.h"
#include "bench/ledger/ledger.h"

/* Adds the plans of results/out that the ledger lacks: the user's own experiments, other profiles, and what was changed
 * on the command line. RC_INTEGRITY: a damaged record or plan.json. */
Rc report_take(Ledger *b, const Session *s, Error *e);

/* Puts the experiments in the order of the report: those that can decide something first. */
void report_order(Ledger *b);

/* Writes folder/report.html. Figures are left out, with a line that says so, when there is no gnuplot. RC_UNMEASURED:
 * the disk refused. */
Rc report_html(const Ledger *b, const Session *s, const char *folder, Error *e);

/* Writes folder/report.pdf. RC_UNMEASURED: no pdflatex, or it failed (its first complaint). */
Rc report_pdf(const Ledger *b, const Session *s, const char *folder, Error *e);

/* Writes folder/report.bib: the papers that the arms' placements are from. RC_UNMEASURED: the disk refused. */
Rc report_bib(const Ledger *b, const char *folder, Error *e);

/* Draws the figures of every table: folder/<table>/…; threads programs at once. formats: bits of figure_draw. */
Rc report_figures(const Ledger *b, const char *folder, int formats, int threads, Error *e);

/* The sentence that says what to see in a figure of a table. */
void report_see(const Table *t, const Figure *f, Text *out);

/* Figures, drawn in folder with PLOT_SVG and PLOT_COLUMN_SVG; *number: figures so far. One, nothing where it was
 * not drawn; an experiment's. */
void report_figure(const char *folder, const char *name, const char *caption, int *number, Text *out);
void report_section_figures(const Table *t, const char *folder, int *number, Text *out);

/* An experiment's part: its id on the page, its title with the plan where another one has the same, and the tables. */
void report_id(const LedgerTable *made, Text *out);
void report_title(const Ledger *b, const LedgerTable *made, Text *out);
void report_caveats(const LedgerTable *made, Text *out); /* synthetic, changed, exploratory; or nothing */
void report_warnings(const Ledger *b, Text *out); /* what a reader must know before anything is quoted; or nothing */
void report_command(const LedgerTable *made, Text *out); /* that trains it again */
/* Links to its files, from folder. RC_UNMEASURED, RC_INTEGRITY: its plan.json cannot be read. */
Rc report_files(const LedgerTable *made, const Session *s, const char *folder, Text *out, Error *e);

/* The comparisons at the last step of every cell, into c[family.count]; returns how many. */
int report_comparisons(const Table *t, const Comparison **c);

/* The first page: a row for each experiment, with its arms and size; a row for each comparison, with a picture. */
void report_short(const Ledger *b, Text *out); /* above them: how many comparisons found what, as a sentence */
void report_asked(const Ledger *b, Cells *c);
void report_found(const Ledger *b, Cells *c);

/* What was found, in plain text: "After 150 steps on … LayerNorm is worse than baseline: +0.1173 nats [0.1120, 0.1227],
 * p = 2/64. …" At the last step: each difference by itself, many arms by verdict, many cells by pair. */
void report_answer(const Table *t, Text *out);
void report_finding(const Table *t, Text *out); /* without what p is; a blank behind it */

/* "6 seen here, 2 open" of the claims that were measured, or nothing. */
void report_counts(const Ledger *b, Text *out);

/* Which claims are open, as sentences, or nothing. */
void report_open_claims(const Ledger *b, Text *out);

/* "3 experiments, 66 runs, trained 21 to 22 November 2026 by commit 6ed6811; …": what is in the report. */
void report_overview(const Ledger *b, Text *out);

/* How the page and the PDF mark the same words: what escapes a text, and what stands around headings, lists. */
typedef struct {
    void (*text)(Text *out, const char *text);
    const char *heading[2], *list[2], *item[2];
} ReportMarkup;

extern const ReportMarkup report_in_html, report_in_tex;
void report_marked(const ReportMarkup *m, const char *const pair[2], const char *text, Text *out);

/* A list of what the experiments do not decide, and what would; nothing where all is decided. */
void report_open(const Ledger *b, const ReportMarkup *m, Text *out);

/* Builds and machines that the runs came from, with how many runs; corpora with their hashes; plans. */
void report_provenance(const Ledger *b, const ReportMarkup *m, Text *out);

/* What is not shown because runs are missing. */
void report_parts(const Ledger *b, const ReportMarkup *m, Text *out);

/* What the write-ups of the experiments shown leave open and their reproduction had to choose. */
void report_choices(const Ledger *b, const ReportMarkup *m, Text *out);

#endif
