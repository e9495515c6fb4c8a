/* The report's tables in HTML: an experiment's numbers. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/report/report.h"
#include "bench/write/results.h"
#include "bench/write/summaries.h"

static void preformatted(void (*write)(const Table *, Text *), const Table *t, Text *out) {
    Text text;
    text_init(&text);
    write(t, &text);
    if (text.length) {
        text_format(out, "<div class=\"wide\"><pre>");
        html_text(out, text.at);
        text_format(out, "</pre></div>\n");
    }
    text_release(&text);
}

void report_section_tables(const Table *t, Text *out) {
    enum { OPEN = 2 };
    int shown = 0;
    text_format(out, "<p class=\"notes\">Bold: the best mean and all not separated from it by the joint test of all "
                     "pairs.</p>\n");
    summaries_html(t, out);
    preformatted(translations_shown, t, out);
    for (int cell = 0; cell < t->sample.cells; cell++)
        for (int step = 0; step < t->sample.cell[cell].steps; step++) {
            if (!t->sample.cell[cell].step[step]) continue;
            if (shown++ == OPEN) text_format(out, "<details><summary>More cells and steps</summary>\n");
            CellsList one = {0};
            results_tables(t, cell, step, false, &one);
            cells_list_html(&one, out);
            cells_list_release(&one);
        }
    if (shown > OPEN) text_format(out, "</details>\n");
}
