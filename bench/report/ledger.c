/* The write-ups' claims on the page: a row for each, folded each whole; and, folded, what was not tested. */
#include "bench/formats/latex.h"
#include "bench/report/report.h"

void report_ledger(const Ledger *b, Text *out) {
    CellsList rows = {0}, whole = {0};
    ledger_tables(b, false, false, NULL, &rows);
    cells_list_html(&rows, out);
    for (const LedgerClaim *c = b->claim; c < b->claim + b->claims; c++)
        if (c->word != WORD_NOT_TESTED) ledger_whole(b, c->claim, &whole);
    text_format(out, "<details><summary>Each claim whole</summary>\n");
    cells_list_html(&whole, out);
    text_format(out, "</details>\n");
    cells_list_release(&whole);
    cells_list_release(&rows);
}

void report_not_run(const Ledger *b, Text *out) {
    int count[WORD_COUNT];
    Text why;
    ledger_count(b, NULL, count);
    if (!count[WORD_NOT_TESTED]) return;
    text_format(out,
                "<details class=\"fold\" id=\"not-run\"><summary>What was not run <small>%d of the write-ups' claims "
                "%s not tested</small></summary>\n<ul>\n",
                count[WORD_NOT_TESTED], count[WORD_NOT_TESTED] == 1 ? "is" : "are");
    text_init(&why);
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
    text_release(&why);
}
