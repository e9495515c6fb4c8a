/* The report's tables in HTML: an experiment's numbers, and the ledger. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/write/report.h"
#include "bench/write/sensitivity.h"

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

static void mean_row(const Table *t, int cell, int step, const TableRow *row, Text *out) {
    text_format(out, "<tr><td>");
    html_text(out, table_heading(row));
    text_format(out, "</td>");
    for (int arm = 0; arm < t->sample.arms; arm++) {
        bool bold = row->metric == t->metric && table_tied(t, cell, step, arm);
        const ReportedNumber *n = table_reported_number(t, cell, step, arm, metric_info[row->metric].key);
        text_format(out, "<td>%s", bold ? "<strong>" : "");
        measured(t, cell, step, arm, row->metric, out);
        text_format(out, "%s", bold ? "</strong>" : "");
        if (n) {
            text_format(out, "<br><small>reported ");
            html_text(out, n->text);
            text_format(out, "</small>");
        }
        text_format(out, "</td>");
    }
    text_format(out, "</tr>\n");
}

static void comparison_row(const Table *t, const Comparison *c, Text *out) {
    char number[SHOWN];
    Text words;
    int digits = decimals_for(c->t.se, 4);
    text_init(&words);
    table_decision(t, c, &words);
    text_format(out, "<tr><td>");
    html_text(out, t->x->arm[c->what.term[0].arm].label);
    if (c->status != ST_OK) {
        text_format(out, "</td><td colspan=\"4\" class=\"text\">n/a (%s)</td></tr>\n", st_status_text(c->status));
        text_release(&words);
        return;
    }
    text_format(out, "</td><td>%s</td><td>", show_signed(number, c->t.mean, digits));
    if (c->t_decides && c->t.status == ST_OK)
        show_interval(out, c->t.lo, c->t.hi, digits, "", false);
    else
        text_format(out, "n/a (%s)", c->t_decides ? st_status_text(c->t.status) : "diverged");
    show_p(number, c->joint.step);
    text_format(out, "</td><td>");
    html_text(out, number);
    text_format(out, "</td><td class=\"text\">");
    html_text(out, words.at);
    text_format(out, "</td></tr>\n");
    text_release(&words);
}

static void step_tables(const Table *t, int cell, int step, Text *out) {
    char where[256], number[SHOWN], confidence[40];
    text_format(out, "<div class=\"wide\"><table><caption>After %d steps%s", t->sample.cell[cell].step[step],
                t->sample.cells > 1 ? ", " : "");
    html_text(out, experiment_cell_text(where, t->x, cell));
    text_format(out, t->sample.seeds > 1 ? ": mean &plusmn; standard deviation over n = %d paired seeds.</caption>\n"
                                         : ": %d seed, descriptive.</caption>\n",
                t->sample.seeds);
    text_format(out, "<thead><tr><th></th>");
    for (int arm = 0; arm < t->sample.arms; arm++) {
        text_format(out, "<th>");
        html_text(out, t->x->arm[arm].label);
        text_format(out, "</th>");
    }
    text_format(out, "</tr></thead>\n<tbody>\n");
    for (int i = 0; i < t->x->rows; i++) mean_row(t, cell, step, &t->x->row[i], out);
    text_format(out, "</tbody></table></div>\n");
    if (t->sample.arms < 2 || t->sample.seeds < 2) return;
    show_p(number, t->family.floor);
    text_format(out, "<div class=\"wide\"><table><thead><tr><th>minus ");
    html_text(out, t->x->arm[t->sample.baseline].label);
    text_format(out, "</th><th>%s</th><th>%s %% CI</th><th>p adjusted (floor ", metric_info[t->metric].header,
                table_confidence(t, confidence));
    html_text(out, number);
    text_format(out, ")</th><th class=\"text\">decision</th></tr></thead>\n<tbody>\n");
    for (int arm = 0; arm < t->sample.arms; arm++) {
        const Comparison *c = table_comparison(t, cell, step, arm);
        if (c) comparison_row(t, c, out);
    }
    text_format(out, "</tbody></table></div>\n");
}

/* One row per cell and arm, as the write-ups with a grid print them. */
static void cells_table(const Table *t, Text *out) {
    static const Metric shown[] = {METRIC_valid_loss, METRIC_bits_per_byte, METRIC_grad_norm, METRIC_grad_ratio};
    text_format(out,
                "<div class=\"wide\"><table><caption>Every cell at its last step: mean &plusmn; standard deviation "
                "over n = %d seeds. Bold: best, and separated from the others.</caption>\n<thead><tr>",
                t->sample.seeds);
    for (int f = 0; f < t->x->factors; f++) text_format(out, "<th>%s</th>", t->x->factor[f].key);
    text_format(out, "<th class=\"text\">arm</th>");
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        text_format(out, "<th>%s</th>", metric_info[shown[i]].header);
    text_format(out, "<th>diverged</th></tr></thead>\n<tbody>\n");
    for (int cell = 0; cell < t->sample.cells; cell++)
        for (int arm = 0; arm < t->sample.arms; arm++) {
            int step = t->sample.cell[cell].steps - 1;
            SampleArm a = sample_arm(&t->sample, cell, step, arm, t->metric);
            bool bold = table_tied(t, cell, step, arm);
            text_format(out, "<tr>");
            for (int f = 0; f < t->x->factors; f++)
                text_format(out, "<td>%s</td>", t->x->factor[f].value[experiment_level(t->x, cell, f)]);
            text_format(out, "<td class=\"text\">");
            html_text(out, t->x->arm[arm].label);
            text_format(out, "</td>");
            for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
                const ReportedNumber *n = table_reported_number(t, cell, step, arm, metric_info[shown[i]].key);
                text_format(out, "<td>%s", bold && !i ? "<strong>" : "");
                measured(t, cell, step, arm, shown[i], out);
                text_format(out, "%s", bold && !i ? "</strong>" : "");
                if (n) text_format(out, "<br><small>reported %s</small>", n->text);
                text_format(out, "</td>");
            }
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
    if (t->sample.cells > 1) cells_table(t, out);
    preformatted(sensitivity_text, t, out);
    for (int cell = 0; cell < t->sample.cells; cell++)
        for (int step = 0; step < t->sample.cell[cell].steps; step++) {
            if (!t->sample.cell[cell].step[step]) continue;
            if (shown++ == OPEN) text_format(out, "<details><summary>More cells and steps</summary>\n");
            step_tables(t, cell, step, out);
        }
    if (shown > OPEN) text_format(out, "</details>\n");
}

static void class_name(VerdictWord w, Text *out) {
    for (const char *s = verdict_code(w); *s; s++) text_add(out, *s == ' ' ? "-" : s, 1);
}

static void claim_cells(const LedgerLine *l, Text *out) {
    char number[SHOWN], where[256];
    const ClaimVerdict *v = l->v;
    const Table *t = &l->in->table;
    bool ratio = table_ratio(v->test) != NULL;
    int digits = table_effect_digits(v);
    text_format(out, "<td class=\"text\"><a href=\"#%s\">%s</a> %s, step %d%s%s", t->x->name, t->x->name,
                t->x->profile, t->sample.cell[v->cell].step[v->step], t->sample.cells > 1 ? ", " : "",
                experiment_cell_text(where, t->x, v->cell));
    ledger_class(l, out);
    text_format(out, "</td><td>%d</td><td>", t->sample.seeds);
    if (!isnan(v->reported))
        text_format(out, "%s", ratio ? show_number(number, v->reported, 2) : show_signed(number, v->reported, 4));
    text_format(out, "</td><td>%s",
                ratio ? show_number(number, v->effect, digits) : show_signed(number, v->effect, digits));
    if (!isnan(v->lo)) {
        text_format(out, " ");
        show_interval(out, v->lo, v->hi, digits, "", false);
    }
    text_format(out, "</td><td>");
    html_text(out, show_p(number, v->p));
    if (v->floor > 0) {
        text_format(out, " (");
        html_text(out, show_p(number, v->floor));
        text_format(out, ")");
    }
    text_format(out, "</td>");
}

static void ledger_row(const LedgerLine *l, Text *out) {
    text_format(out, "<tr><td class=\"text\">");
    if (l->test) {
        Text words;
        char number[40];
        text_init(&words);
        if (l->test->terms)
            table_hypothesis(l->test, &words);
        else
            text_format(&words, "%s", l->test->metric_text);
        if (!isnan(l->test->margin)) text_format(&words, ", margin %s", format_real(number, l->test->margin));
        html_text(out, words.at);
        if (l->test->test) text_format(out, " <small>(%s)</small>", l->test->test->name);
        text_release(&words);
    }
    text_format(out, "</td>");
    if (l->v)
        claim_cells(l, out);
    else {
        text_format(out, "<td class=\"text\" colspan=\"5\"><small>");
        html_text(out, l->why);
        text_format(out, "</small></td>");
    }
    text_format(out, "<td class=\"text verdict v-");
    class_name(ledger_word(l), out);
    text_format(out, "\">%s%s</td></tr>\n", verdict_word(ledger_word(l)),
                l->v && (l->in->table.exploratory || l->v->undeclared) ? " <small>(exploratory)</small>" : "");
}

void report_ledger(const Ledger *b, Text *out) {
    text_format(out,
                "<section id=\"claims\">\n<h2>The claims</h2>\n<p>Reproduced: adjusted p below alpha, the right sign, "
                "and the reported effect inside our interval; for a claim of no difference, equivalence within the "
                "margin. Direction only: the reported effect outside it. Contradicted: the wrong sign. p: exact "
                "sign flips adjusted by step-down max-T over the claims measured together; its floor in "
                "brackets.</p>\n");
    for (const LedgerLine *l = b->line; l < b->line + b->lines; l++) {
        const LedgerLine *before = l > b->line ? l - 1 : NULL;
        bool first = !before || before->file != l->file;
        if (first) {
            text_format(out, "%s<h3>Write-up ", before ? "</tbody></table></div>\n" : "");
            html_text(out, l->file->writeup);
            text_format(out, ": ");
            html_text(out, l->file->title);
            text_format(out, "</h3>\n<div class=\"wide\"><table><thead><tr><th class=\"text\">hypothesis</th>"
                             "<th class=\"text\">measured in</th><th>n</th><th>reported</th><th>ours [CI]</th>"
                             "<th>p (floor)</th><th class=\"text\">verdict</th></tr></thead>\n<tbody>\n");
        }
        if (first || before->claim != l->claim) {
            text_format(out, "<tr><td colspan=\"7\" class=\"said\"><strong>%s</strong> ", l->claim->id);
            html_text(out, l->claim->says);
            if (l->claim->note) {
                text_format(out, "<br><small>");
                html_text(out, l->claim->note);
                text_format(out, "</small>");
            }
            text_format(out, "</td></tr>\n");
        }
        ledger_row(l, out);
    }
    text_format(out, "%s</section>\n", b->lines ? "</tbody></table></div>\n" : "");
}
