/* Report: everything in results/ on one page. report.html stands alone: no network, no script, figures inline as SVG,
 * light and dark. report.pdf is the same typeset. Both are made from the records; nothing is trained. The same results
 * give the same bytes. */
#ifndef BENCH_WRITE_REPORT_H
#define BENCH_WRITE_REPORT_H

#include "bench/write/ledger.h"

/* Writes folder/report.html. Figures are left out, with a line that says so, when there is no gnuplot. RC_UNMEASURED:
 * the disk refused. */
Rc report_html(const Ledger *b, const Session *s, const char *folder, Error *e);

/* Writes folder/report.pdf. RC_UNMEASURED: no pdflatex, or it failed (its first complaint). */
Rc report_pdf(const Ledger *b, const Session *s, const char *folder, Error *e);

/* Draws the figures of every table: folder/<table>/…; threads programs at once. terminals: bits of figure_draw. */
Rc report_figures(const Ledger *b, const char *folder, int terminals, int threads, Error *e);

/* Removes that folder, which subprocess_folder made, and the figures in it. */
void report_figures_remove(const Ledger *b, const char *folder);

/* Text with what HTML minds escaped; bytes that are not UTF-8 as '?'. */
void html_text(Text *out, const char *text);

/* One experiment's section: what was measured, its tables. */
void report_section_tables(const Table *t, Text *out);

/* The ledger as tables, one per write-up. */
void report_ledger(const Ledger *b, Text *out);

/* How the page and the PDF mark the same words: what escapes a text, and what stands around titles, headings, lists. */
typedef struct {
    void (*text)(Text *out, const char *text);
    const char *title[2], *heading[2], *list[2], *item[2];
} ReportMarkup;

extern const ReportMarkup report_in_html, report_in_tex;

/* Builds and machines that the runs came from, with how many runs; corpora with their hashes; plans; what is
 * not shown because runs are missing. */
void report_provenance(const Ledger *b, const ReportMarkup *m, Text *out);

/* What each write-up leaves open and its reproduction had to choose (bench/claims, setups). */
void report_choices(const Ledger *b, const ReportMarkup *m, Text *out);

#endif
