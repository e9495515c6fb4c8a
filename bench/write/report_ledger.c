/* The write-ups' claims on the page: what was measured, by write-up; and, folded, what was not. */
#include "bench/write/report.h"

static void tables(const Ledger *b, LedgerForm form, Text *out) {
    CellsList all = {0};
    ledger_tables(b, form, NULL, &all);
    cells_list_html(&all, out);
    cells_list_release(&all);
}

void report_ledger(const Ledger *b, Text *out) {
    tables(b, LEDGER_short, out);
    text_format(out, "<details><summary>Each verdict</summary>\n");
    tables(b, LEDGER_measured, out);
    text_format(out, "</details>\n");
}

void report_not_run(const Ledger *b, Text *out) {
    int count[WORD_COUNT];
    ledger_count(b, NULL, false, count);
    if (!count[WORD_NOT_RUN]) return;
    text_format(out,
                "<details class=\"fold\" id=\"not-run\"><summary>What was not run <small>%d test%s of the write-ups' "
                "claims</small></summary>\n",
                count[WORD_NOT_RUN], count[WORD_NOT_RUN] == 1 ? "" : "s");
    tables(b, LEDGER_missing, out);
    text_format(out, "</details>\n");
}
