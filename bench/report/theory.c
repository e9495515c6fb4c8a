/* The report's section on networks before their first step: the statements' table and figure, where `run theory` stored
 * numbers. */
#include "bench/figures/figure.h"
#include "bench/report/report.h"
#include "bench/write/theory.h"

void report_theory(const Ledger *b, const char *folder, int *number, Text *out) {
    Text caption;
    Cells c;
    if (!b->stated) return;
    text_init(&caption);
    theory_caption(&caption);
    text_format(out,
                "<p>XIONG: the setting of Xiong et al. 2020; GPT: the real architecture at GPT-2's start; ALONE: a "
                "part of a network. Again: <code>normbench run theory</code>.</p>\n");
    report_figure(folder, "theory", caption.at, number, out);
    theory_cells(b->stated, STATEMENT_COUNT, &c);
    cells_html(&c, out);
    cells_release(&c);
    text_release(&caption);
}
