/* NAME-cells.tex, and the same for the terminal: one row per cell and arm at the last step, as write-ups with a grid of
 * set-ups print them, their numbers beside ours. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/write/table.h"

enum { ROWS_PER_TABLE = 36 };

/* What is shown of a row; digits NULL: those of the metric. */
static const struct {
    Metric metric;
    const char *heading, *tex;
    bool sd;
} columns[] = {{METRIC_valid_loss, "valid loss", "val.\\ loss $\\downarrow$", true},
               {METRIC_bits_per_byte, "BPB", "BPB $\\downarrow$", false},
               {METRIC_grad_norm, "grad norm", "grad norm", false},
               {METRIC_grad_ratio, "lg last/first", "$\\lg$ last/first", false}};
enum { COLUMNS = sizeof columns / sizeof *columns };

static void ours(const Table *t, int cell, int arm, int column, const char *plus_minus, char out[128]) {
    char mean[SHOWN], sd[SHOWN];
    int step = t->sample.cell[cell].steps - 1, digits = metric_info[columns[column].metric].digits;
    SampleArm a = sample_arm(&t->sample, cell, step, arm, columns[column].metric);
    if (a.status != ST_OK)
        snprintf(out, 128, "n/a");
    else if (columns[column].sd && a.n > 1 && !a.diverged)
        snprintf(out, 128, "%s%s%s", show_number(mean, a.mean, decimals_for(a.sd, digits)), plus_minus,
                 show_number(sd, a.sd, decimals_for(a.sd, digits)));
    else
        snprintf(out, 128, "%s", show_number(mean, a.mean, digits));
}

static const char *reported(const Table *t, int cell, int arm, Metric m) {
    const ReportedNumber *n =
        table_reported_number(t, cell, t->sample.cell[cell].steps - 1, arm, metric_info[m].key);
    return n ? n->text : "";
}

static const char *level(const Table *t, int cell, int factor) {
    return t->x->factor[factor].value[experiment_level(t->x, cell, factor)];
}

void table_cells_text(const Table *t, Text *out) {
    char text[128];
    bool any = t->claims && t->claims->tables;
    if (t->sample.cells < 2) return;
    text_format(out, "\nAll cells at their last step%s\n  ", any ? " (rep.: as reported)" : "");
    for (int f = 0; f < t->x->factors; f++) text_format(out, "%-8.10s ", t->x->factor[f].key);
    text_format(out, "%-12s", "arm");
    for (int c = 0; c < COLUMNS; c++) text_format(out, " %*s", columns[c].sd ? 20 : 13, columns[c].heading);
    text_format(out, "%s  div.\n", any ? "  rep.loss  rep.BPB" : "");
    for (int cell = 0; cell < t->sample.cells; cell++)
        for (int arm = 0; arm < t->sample.arms; arm++) {
            int step = t->sample.cell[cell].steps - 1;
            SampleArm a = sample_arm(&t->sample, cell, step, arm, METRIC_valid_loss);
            text_format(out, "  ");
            for (int f = 0; f < t->x->factors; f++) text_format(out, "%-8.10s ", level(t, cell, f));
            show_column(out, t->x->arm[arm].label, 12);
            for (int c = 0; c < COLUMNS; c++) {
                ours(t, cell, arm, c, " +-", text);
                text_format(out, " %*s", columns[c].sd ? 20 : 13, text);
            }
            if (any)
                text_format(out, "  %8s  %7s", reported(t, cell, arm, METRIC_valid_loss),
                            reported(t, cell, arm, METRIC_bits_per_byte));
            text_format(out, "  %d/%d\n", a.diverged, a.n);
        }
}

static void begin(const Table *t, const char *sources, bool more, Text *out) {
    Text words;
    bool any = t->claims && t->claims->tables;
    text_init(&words);
    text_format(&words, "%s%s%s: every cell at its last step%s. %s", table_mark(t), t->exploratory ? ": " : "",
                t->x->title, more ? ", continued" : "", sources);
    if (t->sample.seeds > 1)
        text_format(&words, " Means over n = %d seeds; the loss with its standard deviation.", t->sample.seeds);
    else
        text_format(&words, " Single seed: descriptive.");
    text_format(out, "\\begin{table}[tbp]\n\\centering\n\\caption{");
    latex_breakable(out, words.at);
    text_format(out, " $\\lg$ last/first: decades between the gradient norms of the last and the first block, averaged "
                     "over the steps.%s}\n\\scriptsize\\setlength{\\tabcolsep}{%s}\n\\begin{tabular}{@{}",
                any ? " rep.: as reported." : "", t->x->factors > 2 ? "2.5pt" : "3.5pt");
    for (int f = 0; f < t->x->factors; f++) text_format(out, "r ");
    text_format(out, "l r r r r%s r@{}}\n\\toprule\n", any ? " r r" : "");
    for (int f = 0; f < t->x->factors; f++) {
        latex_text(out, t->x->factor[f].key);
        text_format(out, " & ");
    }
    text_format(out, "arm");
    for (int c = 0; c < COLUMNS; c++) text_format(out, " & {%s}", columns[c].tex);
    if (any) text_format(out, " & {rep.\\ loss} & {rep.\\ BPB}");
    text_format(out, " & {div.} \\\\\n\\midrule\n");
    text_release(&words);
}

static void row(const Table *t, int cell, int arm, Text *out) {
    char text[128];
    int step = t->sample.cell[cell].steps - 1;
    SampleArm a = sample_arm(&t->sample, cell, step, arm, METRIC_valid_loss);
    for (int f = 0; f < t->x->factors; f++) {
        latex_text(out, level(t, cell, f));
        text_format(out, " & ");
    }
    latex_text(out, t->x->arm[arm].label);
    for (int c = 0; c < COLUMNS; c++) {
        bool bold = c == 0 && table_tied(t, cell, step, arm);
        ours(t, cell, arm, c, "\\,$\\pm$\\,", text);
        text_format(out, " & %s", bold ? "\\textbf{" : "");
        if (strstr(text, "pm"))
            text_format(out, "%s", text); /* a loss and its deviation: digits and the sign between */
        else
            latex_number(out, text);
        text_format(out, "%s", bold ? "}" : "");
    }
    if (t->claims && t->claims->tables)
        text_format(out, " & %s & %s", reported(t, cell, arm, METRIC_valid_loss),
                    reported(t, cell, arm, METRIC_bits_per_byte));
    text_format(out, a.diverged ? " & \\textit{div.}~%d/%d \\\\\n" : " & %d/%d \\\\\n", a.diverged, a.n);
}

void table_cells_tex(const Table *t, Text *out) {
    int lines = 0;
    Text sources;
    if (t->sample.cells < 2) return;
    text_init(&sources);
    table_sources(t, &sources);
    table_header_comment(t, "every cell at its last step", out);
    for (int cell = 0; cell < t->sample.cells; cell++) {
        if (lines + t->sample.arms > ROWS_PER_TABLE)
            text_format(out, "\\bottomrule\n\\end{tabular}\n\\end{table}\n"), lines = 0;
        if (!lines)
            begin(t, sources.at, cell > 0, out);
        else if (t->sample.arms > 1)
            text_format(out, "\\addlinespace\n");
        for (int arm = 0; arm < t->sample.arms; arm++, lines++) row(t, cell, arm, out);
    }
    text_format(out, "\\bottomrule\n\\end{tabular}\n\\end{table}\n");
    text_release(&sources);
}
