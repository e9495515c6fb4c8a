/* The report's tables in HTML: an experiment's numbers. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/write/report.h"
#include "bench/write/components.h"
#include "bench/write/corpora.h"
#include "bench/write/failures.h"
#include "bench/write/ranking.h"
#include "bench/write/sensitivity.h"
#include "bench/write/translations.h"

/* "3.0881 ± 0.0041", "div. 1/6", "n/a". */
static void measured(const Table *t, int cell, int step, int arm, Metric m, Text *out) {
    char mean[SHOWN], sd[SHOWN];
    SampleArm a = sample_arm(&t->sample, cell, step, arm, m);
    int digits = decimals_for(a.n > 1 && !a.diverged ? a.sd : 0, metric_info[m].digits);
    if (a.status != ST_OK) {
        text_format(out, "n/a");
        return;
    }
    text_format(out, "%s", show_number(mean, a.mean, digits));
    if (a.n > 1 && !a.diverged) text_format(out, " &plusmn; %s", show_number(sd, a.sd, digits));
    if (a.diverged) text_format(out, " <em>div. %d/%d</em>", a.diverged, a.n);
}

/* Ours, and below it the write-up's. */
static void number_cell(const Table *t, int cell, int step, int arm, Metric m, bool bold, Text *out) {
    const ReportedNumber *n = table_reported_number(t, cell, step, arm, metric_info[m].key);
    text_format(out, "<td>%s", bold ? "<strong>" : "");
    measured(t, cell, step, arm, m, out);
    text_format(out, "%s", bold ? "</strong>" : "");
    if (n) {
        text_format(out, "<br><small>reported ");
        html_text(out, n->text);
        text_format(out, "</small>");
    }
    text_format(out, "</td>");
}

static void mean_row(const Table *t, int cell, int step, const TableRow *row, Text *out) {
    text_format(out, "<tr><th scope=\"row\">");
    html_text(out, table_heading(row));
    text_format(out, "</th>");
    for (int arm = 0; arm < t->sample.arms; arm++)
        number_cell(t, cell, step, arm, row->metric, row->metric == t->metric && table_tied(t, cell, step, arm), out);
    text_format(out, "</tr>\n");
}

static void step_tables(const Table *t, int cell, int step, Text *out) {
    char where[256];
    text_format(out,
                "<div class=\"wide\"><table class=\"numbers\"><caption>After %d steps%s",
                t->sample.cell[cell].step[step], t->sample.cells > 1 ? ", " : "");
    html_text(out, experiment_cell_text(where, t->x, cell));
    text_format(out, t->sample.seeds > 1 ? ": mean &plusmn; standard deviation over n = %d paired seeds.</caption>\n"
                                         : ": %d seed, descriptive.</caption>\n",
                t->sample.seeds);
    text_format(out, "<thead><tr><td></td>");
    for (int arm = 0; arm < t->sample.arms; arm++) {
        text_format(out, "<th scope=\"col\">");
        html_text(out, t->x->arm[arm].label);
        text_format(out, "</th>");
    }
    text_format(out, "</tr></thead>\n<tbody>\n");
    for (int i = 0; i < t->x->rows; i++) mean_row(t, cell, step, &t->x->row[i], out);
    text_format(out, "</tbody></table></div>\n");
}

/* One row per cell and arm, as the write-ups with a grid print them. */
static void cells_table(const Table *t, Text *out) {
    text_format(out,
                "<div class=\"wide\"><table class=\"numbers\"><caption>Every cell at its last step: "
                "mean &plusmn; standard deviation over n = %d seeds. Bold: best, and separated from the "
                "others.</caption>\n<thead><tr>",
                t->sample.seeds);
    for (int f = 0; f < t->x->factors; f++) text_format(out, "<th scope=\"col\">%s</th>", t->x->factor[f].key);
    text_format(out, "<th scope=\"col\" class=\"text\">arm</th>");
    for (int i = 0; i < t->x->rows; i++) {
        text_format(out, "<th scope=\"col\">");
        html_text(out, table_heading(&t->x->row[i]));
        text_format(out, "</th>");
    }
    text_format(out, "<th scope=\"col\">diverged</th></tr></thead>\n<tbody>\n");
    for (int cell = 0; cell < t->sample.cells; cell++)
        for (int arm = 0; arm < t->sample.arms; arm++) {
            int step = t->sample.cell[cell].steps - 1;
            SampleArm a = sample_arm(&t->sample, cell, step, arm, t->metric);
            bool bold = table_tied(t, cell, step, arm);
            text_format(out, "<tr>");
            for (int f = 0; f < t->x->factors; f++)
                text_format(out, "<td>%s</td>", t->x->factor[f].value[experiment_level(t->x, cell, f)]);
            text_format(out, "<th scope=\"row\" class=\"text\">");
            html_text(out, t->x->arm[arm].label);
            text_format(out, "</th>");
            for (int i = 0; i < t->x->rows; i++)
                number_cell(t, cell, step, arm, t->x->row[i].metric, bold && t->x->row[i].metric == t->metric, out);
            text_format(out, "<td>%d/%d</td></tr>\n", a.diverged, a.n);
        }
    text_format(out, "</tbody></table></div>\n");
}

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
    preformatted(ranking_text, t, out);
    preformatted(ranking_cost_text, t, out);
    preformatted(corpora_text, t, out);
    preformatted(failures_text, t, out);
    preformatted(components_text, t, out);
    if (t->sample.cells > 1) cells_table(t, out);
    preformatted(sensitivity_text, t, out);
    preformatted(translations_shown, t, out);
    for (int cell = 0; cell < t->sample.cells; cell++)
        for (int step = 0; step < t->sample.cell[cell].steps; step++) {
            if (!t->sample.cell[cell].step[step]) continue;
            if (shown++ == OPEN) text_format(out, "<details><summary>More cells and steps</summary>\n");
            step_tables(t, cell, step, out);
        }
    if (shown > OPEN) text_format(out, "</details>\n");
}
