/* What each arm costs, for the terminal and as NAME-cost.tex. Measured times, so not part of what must come out the
 * same. */
#include <stdio.h>
#include <string.h>

#include "bench/write/table.h"

enum { LONGEST_NAME = 32, NAME_WIDTH = 26 };

static void number_cell(Text *out, double x, int decimals) {
    char number[SHOWN];
    text_format(out, " & ");
    latex_number(out, show_number(number, x, decimals));
}

static const char unlike[] =
    "the pairs of some seeds ran on different devices, or in programs of different numbers of runs or threads";

/* What the numbers in brackets stand for. */
static void long_names(const Table *t, int first, int last, Text *out) {
    bool any = false;
    for (int arm = first; arm <= last; arm++) {
        if (strlen(t->x->arm[arm].label) <= LONGEST_NAME) continue;
        text_format(
            out, any ? " {[%d]}: " : "\n\\medskip\n\\parbox{\\linewidth}{\\scriptsize\\raggedright {[%d]}: ", arm + 1);
        latex_text(out, t->x->arm[arm].label);
        text_format(out, ".");
        any = true;
    }
    if (any) text_format(out, "}\n");
}

/* The precision whose cells alone are counted; NULL: all are. */
static const char *counted(const Table *t) {
    for (int arm = 0; arm < t->sample.arms; arm++) {
        int first = table_spec(t, 0, arm)->precision;
        for (int cell = 1; cell < t->sample.cells; cell++)
            if (table_spec(t, cell, arm)->precision != first) return precision_name((PrecisionKind)first);
    }
    return NULL;
}

void table_cost_tex(const Table *t, Text *out) {
    enum { ROWS_PER_TABLE = 40 };
    Text words;
    bool any = false;
    text_init(&words);
    table_header_comment(t, "cost", out);
    for (int arm = 0; arm < t->sample.arms; arm++) {
        Cost c = table_cost(t, arm);
        if (arm % ROWS_PER_TABLE == 0) {
            any = false;
            text_clear(&words);
            text_format(&words,
                        "%s%s: cost%s. Step time relative to %s: median [least, most] of the ratios paired by seed; "
                        "wall-clock times on a shared machine are noisy.",
                        t->partial ? "PARTIAL: " : "", t->x->title, arm ? ", continued" : "",
                        t->x->arm[t->sample.baseline].label);
            if (counted(t)) text_format(&words, " Of the cells of precision %s.", counted(t));
            text_format(out, "\\begin{table}[tbp]\n\\centering\n\\caption{");
            latex_breakable(out, words.at);
            text_format(out, "}\n\\footnotesize\n\\begin{tabular}{@{}l r l r r@{}}\n\\toprule\n"
                             "arm & parameters & step time / baseline & ms per step & MB \\\\\n\\midrule\n");
        }
        if (strlen(t->x->arm[arm].label) > LONGEST_NAME)
            text_format(out, "{[%d]}", arm + 1);
        else
            latex_text(out, t->x->arm[arm].label);
        text_format(out, " & %ld", c.parameters);
        number_cell(out, c.ratio, 3);
        text_format(out, " ");
        show_interval(out, c.least, c.most, 2, "not timed", true);
        if (c.unlike) text_format(out, "$^{*}$"), any = true;
        number_cell(out, 1e3 * c.step_seconds, 1);
        number_cell(out, c.memory_mb, 0);
        text_format(out, " \\\\\n");
        if (arm % ROWS_PER_TABLE == ROWS_PER_TABLE - 1 || arm == t->sample.arms - 1) {
            text_format(out, "\\bottomrule\n\\end{tabular}\n");
            if (any) text_format(out, "\n\\medskip\n\\parbox{\\linewidth}{\\scriptsize\\raggedright *: %s.}\n", unlike);
            long_names(t, arm - arm % ROWS_PER_TABLE, arm, out);
            text_format(out, "\\end{table}\n");
        }
    }
    text_release(&words);
}

void table_cost_text(const Table *t, Text *out) {
    bool any = false;
    char ratio[SHOWN], least[SHOWN], most[SHOWN], step[SHOWN], memory[SHOWN];
    text_format(out, "\n%-*s %12s %24s %12s %10s\n", NAME_WIDTH, "cost (times are noisy)", "parameters",
                "step time / baseline", "ms per step", "MB");
    for (int arm = 0; arm < t->sample.arms; arm++) {
        Cost c = table_cost(t, arm);
        char range[3 * SHOWN];
        any |= c.unlike;
        snprintf(range, sizeof range, "%s [%s, %s]%s", show_number(ratio, c.ratio, 3), show_number(least, c.least, 2),
                 show_number(most, c.most, 2), c.unlike ? "*" : "");
        show_column(out, t->x->arm[arm].label, NAME_WIDTH);
        text_format(out, " %12ld %24s %12s %10s\n", c.parameters, range, show_number(step, 1e3 * c.step_seconds, 1),
                    show_number(memory, c.memory_mb, 0));
    }
    if (any) text_format(out, "*: %s\n", unlike);
    if (counted(t)) text_format(out, "Of the cells of precision %s.\n", counted(t));
}
