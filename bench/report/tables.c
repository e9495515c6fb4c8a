/* The report's tables in HTML: an experiment's numbers. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/figures/figure.h"
#include "bench/formats/latex.h"
#include "bench/report/report.h"
#include "bench/write/results.h"
#include "bench/write/summaries.h"
#include "bench/write/theory.h"

static void preformatted(void (*write)(const Table *, Text *), const Table *t, Text *out) {
    LOCAL_TEXT(text);
    write(t, &text);
    if (text.length) {
        text_format(out, "<div class=\"wide\"><pre>");
        html_text(out, text.at);
        text_format(out, "</pre></div>\n");
    }
}

void report_section_tables(const Table *t, Text *out) {
    enum { OPEN = 2 };
    int shown = 0;
    text_format(out, "<p class=\"notes\">Bold are the best mean and all means that the joint test of all pairs does "
                     "not separate from it.</p>\n");
    summaries_html(t, out);
    preformatted(translations_shown, t, out);
    for (int cell = 0; cell < t->sample.cells; cell++)
        for (int step = 0; step < t->sample.cell[cell].steps; step++) {
            if (!t->sample.cell[cell].step[step]) continue;
            if (shown++ == OPEN) text_format(out, "<details><summary>More cells and steps</summary>\n");
            LOCAL(cells_list_release) CellsList one = {0};
            results_tables(t, cell, step, false, &one);
            cells_list_html(&one, out);
        }
    if (shown > OPEN) text_format(out, "</details>\n");
}

void report_theory(const Ledger *b, const char *folder, int *number, Text *out) {
    LOCAL_TEXT(caption);
    Cells c;
    if (!b->stated) return;
    theory_caption(&caption);
    text_format(out, "<p><code>normbench run theory</code> measures these statements.</p>\n");
    report_figure(folder, "theory", caption.at, number, out);
    theory_cells(b->stated, STATEMENT_COUNT, &c);
    cells_html(&c, out);
    cells_release(&c);
}

/* ---- The write-ups' claims on the page: a row for each, folded each whole; and, folded, what was not tested ---- */

void report_ledger(const Ledger *b, Text *out) {
    LOCAL(cells_list_release) CellsList rows = {0}, whole = {0};
    ledger_tables(b, false, false, NULL, &rows);
    cells_list_html(&rows, out);
    for (const LedgerClaim *c = b->claim; c < b->claim + b->claims; c++)
        if (c->word != WORD_NOT_TESTED) ledger_whole(b, c->claim, &whole);
    text_format(out, "<details><summary>Each claim in full</summary>\n");
    cells_list_html(&whole, out);
    text_format(out, "</details>\n");
    cells_list_release(&whole);
}

void report_not_run(const Ledger *b, Text *out) {
    int count[WORD_COUNT];
    LOCAL_TEXT(why);
    ledger_count(b, NULL, count);
    if (!count[WORD_NOT_TESTED]) return;
    text_format(out,
                "<details class=\"fold\" id=\"not-run\"><summary>What was not run <small>%d of the write-ups' claims "
                "%s not tested</small></summary>\n<ul>\n",
                count[WORD_NOT_TESTED], count[WORD_NOT_TESTED] == 1 ? "is" : "are");
    for (const LedgerClaim *c = b->claim; c < b->claim + b->claims; c++) {
        if (c->word != WORD_NOT_TESTED) continue;
        text_clear(&why);
        text_format(&why, "%s  %s: ", c->claim->id, c->claim->brief);
        ledger_why(c, &why);
        text_format(out, "<li>");
        html_text(out, why.at);
        text_format(out, "</li>\n");
    }
    text_format(out, "</ul>\n</details>\n");
}
