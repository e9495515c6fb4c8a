/* The write-ups' claims on the page: what was measured, by write-up; and, folded, what was not. */
#include "bench/write/report.h"

static void tables(const Ledger *b, LedgerForm form, Text *out) {
    CellsList all = {0};
    ledger_tables(b, form, NULL, &all);
    cells_list_html(&all, out);
    cells_list_release(&all);
}

void report_ledger(const Ledger *b, Text *out) {
    int own[WORD_COUNT];
    ledger_count(b, NULL, false, own);
    if (own[WORD_NOT_RUN] == b->lines) return;
    text_format(out, "<section id=\"claims\">\n<h2>The claims</h2>\n");
    tables(b, LEDGER_measured, out);
    text_format(out, "</section>\n");
}

void report_not_run(const Ledger *b, Text *out) {
    int count[WORD_COUNT];
    ledger_count(b, NULL, false, count);
    text_format(out, "<section id=\"not-run\">\n<h2>What was not run</h2>\n");
    if (count[WORD_NOT_RUN]) {
        text_format(out, "<details><summary>%d test%s of the write-ups' claims</summary>\n", count[WORD_NOT_RUN],
                    count[WORD_NOT_RUN] == 1 ? "" : "s");
        tables(b, LEDGER_missing, out);
        text_format(out, "</details>\n");
    }
    report_parts(b, &report_in_html, out);
    if (!count[WORD_NOT_RUN] && !b->parts && !b->others) text_format(out, "<p>Nothing.</p>\n");
    text_format(out, "</section>\n");
}
