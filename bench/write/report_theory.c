/* The report's section on networks before their first step: the statements' table and figure, where `run theory` stored
 * numbers. */
#include <stdio.h>

#include "bench/write/figure.h"
#include "bench/write/report.h"
#include "bench/write/theory.h"

static void cell(const char *label, void (*write)(const StatementVerdict *, Text *), const StatementVerdict *v,
                 Text *out) {
    Text words;
    text_init(&words);
    write(v, &words);
    text_format(out, "<td data-label=\"%s\">", label);
    html_text(out, words.at);
    text_format(out, "</td>");
    text_release(&words);
}

static void predicted(const StatementVerdict *v, Text *out) {
    text_format(out, "%s", v->statement->predicted);
}

static void verdict(const StatementVerdict *v, Text *out) {
    text_format(out, "%s%s", stated_word(v->word), v->left ? "; " : "");
    theory_finding(v, out);
}

static void row(const StatementVerdict *v, Text *out) {
    text_format(out, "<tr id=\"theory-%s\"><th scope=\"row\" class=\"text\">", v->statement->name);
    html_text(out, v->statement->what);
    text_format(out, "<br><small>");
    html_text(out, v->statement->source);
    text_format(out, "; ");
    html_text(out, v->statement->setting);
    text_format(out, "</small></th>");
    cell("predicted", predicted, v, out);
    cell("measured", theory_measured, v, out);
    cell("95% interval", theory_interval, v, out);
    text_format(out, "<td data-label=\"seeds\">%d</td>", v->m->seeds);
    cell("verdict", verdict, v, out);
    text_format(out, "</tr>\n");
}

void report_theory(const Ledger *b, const char *folder, int *number, Text *out) {
    Text caption;
    if (!b->stated) return;
    text_init(&caption);
    theory_caption(&caption);
    text_format(out, "<section id=\"theory\">\n<h2>Theory: networks before their first step</h2>\n"
                     "<p>Measured in double, nothing trained. XIONG: the setting of Xiong et al. 2020; GPT: the real "
                     "architecture at GPT-2's start; ALONE: a part of a network. " THEORY_STAR ". Again: "
                     "<code>normbench run theory</code>.</p>\n");
    report_figure(folder, "theory", caption.at, number, out);
    text_format(out, "<div class=\"wide\"><table class=\"stack\"><thead><tr>"
                     "<th scope=\"col\" class=\"text\">statement</th>"
                     "<th scope=\"col\">predicted</th><th scope=\"col\">measured</th>"
                     "<th scope=\"col\">95%% interval</th><th scope=\"col\">seeds</th>"
                     "<th scope=\"col\">verdict</th></tr></thead>\n<tbody>\n");
    for (int i = 0; i < STATEMENT_COUNT; i++) row(&b->stated[i], out);
    text_format(out, "</tbody></table></div>\n</section>\n");
    text_release(&caption);
}
