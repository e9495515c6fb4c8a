/* NAME.tex: the write-up's rows and columns with its numbers beside ours, then the paired tests. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/write/table_grid.h"

enum { LONGEST_LABEL = 15 };

void part_arm(const Table *t, int arm, Text *out) {
    if (strlen(t->x->arm[arm].label) > LONGEST_LABEL)
        text_format(out, "{[%d]}", arm + 1); /* braces: a row may begin with it */
    else
        latex_text(out, t->x->arm[arm].label);
}

static const char *arrow(Metric m) {
    return metric_info[m].better < 0 ? " $\\downarrow$" : metric_info[m].better > 0 ? " $\\uparrow$" : "";
}

/* The mean of an arm with the digits its SD allows; k of n, and no SD, where a run diverged. */
static void show_mean(GridCell *cell, const SampleArm *a, Metric m) {
    if (a->diverged) {
        snprintf(cell->text, sizeof cell->text, "div. %d/%d", a->diverged, a->n);
        cell->italic = true;
    } else if (a->status != ST_OK)
        snprintf(cell->text, sizeof cell->text, "%s", a->lacking ? "not measured" : "n/a (beyond range)");
    else
        show_number(cell->text, a->mean, decimals_for(a->sd, metric_info[m].digits));
}

static void show_sd(GridCell *cell, const SampleArm *a, Metric m) {
    if (a->n > 1 && !a->diverged && a->status == ST_OK)
        show_number(cell->text, a->sd, decimals_for(a->sd, metric_info[m].digits));
}

static void show_reported(GridCell *cell, const Table *t, const Part *p, int arm, Metric m, bool sd) {
    char quantity[64];
    snprintf(quantity, sizeof quantity, "%s%s", metric_info[m].key, sd ? "_sd" : "");
    const ReportedNumber *n = table_reported_number(t, p->cell, p->step, arm, quantity);
    if (n) snprintf(cell->text, sizeof cell->text, "%s", n->text);
}

/* Mean and SD of one metric over the part's arms; columns are ours and, when the part has any, the write-up's. */
static void metric_rows(const Table *t, const Part *p, Grid *g, const TableRow *row) {
    int step = p->step;
    bool decided = row->metric == t->metric || (t->metric == METRIC_valid_loss && row->metric == METRIC_perplexity);
    Text label;
    text_init(&label);
    text_format(&label, "mean ");
    if (row->heading[0])
        latex_text(&label, row->heading);
    else
        text_format(&label, "%s", metric_info[row->metric].tex);
    text_format(&label, "%s", arrow(row->metric));
    GridRow *mean = grid_row(g, label.at), *sd = t->sample.seeds > 1 ? grid_row(g, "\\quad std dev") : NULL;
    text_release(&label);
    for (int i = 0, column = 0; i < p->arms; i++, column++) {
        int arm = p->arm[i];
        SampleArm a = sample_arm(&t->sample, p->cell, step, arm, row->metric);
        show_mean(&mean->cell[column], &a, row->metric);
        if (sd) show_sd(&sd->cell[column], &a, row->metric);
        if (decided) {
            mean->cell[column].marks = table_marks(t, p->cell, step, arm);
            mean->cell[column].bold = table_tied(t, p->cell, step, arm);
        }
        if (!p->reported[i]) continue;
        column++;
        show_reported(&mean->cell[column], t, p, arm, row->metric, false);
        if (sd) show_reported(&sd->cell[column], t, p, arm, row->metric, true);
    }
}

/* How many runs of each arm are above ln V, or stalled; no row when none is. */
static void count_row(const Table *t, const Part *p, Grid *g, bool stalled) {
    int count[PART_MOST_ARMS], sum = 0;
    for (int i = 0; i < p->arms; i++) {
        SampleArm a = sample_arm(&t->sample, p->cell, p->step, p->arm[i], t->metric);
        sum += count[i] = stalled ? a.stalled : a.above;
    }
    if (!sum) return;
    GridRow *row = grid_row(g, stalled ? "runs stalled" : "runs above $\\ln V$");
    for (int i = 0, column = 0; i < p->arms; column += 1 + p->reported[i], i++)
        snprintf(row->cell[column].text, sizeof row->cell[column].text, "%d/%d", count[i], t->sample.seeds);
}

static void fill(const Table *t, const Part *p, Grid *g) {
    for (int i = 0; i < p->arms; i++) g->columns += 1 + p->reported[i];
    g->siunitx = t->options.siunitx;
    for (int r = 0; r < t->x->rows; r++) metric_rows(t, p, g, &t->x->row[r]);
    count_row(t, p, g, false);
    count_row(t, p, g, true);
}

static bool any_reported(const Part *p) {
    bool any = false;
    for (int i = 0; i < p->arms; i++) any |= p->reported[i];
    return any;
}

static void column_heads(const Table *t, const Part *p, Text *out) {
    for (int i = 0; i < p->arms; i++) {
        text_format(out, " & %s", p->reported[i] ? "\\multicolumn{2}{c}{" : "{");
        part_arm(t, p->arm[i], out);
        text_format(out, "}");
    }
    text_format(out, " \\\\\n");
    if (!any_reported(p)) return;
    for (int i = 0, column = 2; i < p->arms; column += 1 + p->reported[i], i++)
        text_format(out, "\\cmidrule(lr){%d-%d}", column, column + p->reported[i]);
    text_format(out, "\n");
    for (int i = 0; i < p->arms; i++) text_format(out, " & {ours}%s", p->reported[i] ? " & {rep.}" : "");
    text_format(out, " \\\\\n");
}

static void caption(const Table *t, const Part *p, Text *out) {
    Text words;
    char why[CLAIM_WHY_SIZE];
    text_init(&words);
    text_format(&words, "%s%s%s, after %d steps. ", table_mark(t),
                t->exploratory ? ", not the declared comparison: " : "", t->x->title,
                t->sample.cell[p->cell].step[p->step]);
    table_corpus(t, p->cell, &words);
    text_format(&words, " ");
    table_statistics(t, &words);
    table_reported_why(t, p->cell, why, sizeof why);
    if (any_reported(p))
        text_format(&words, " rep.: as reported by write-up %s.", t->claims->writeup);
    else if (why[0])
        text_format(&words, " The numbers of write-up %s are not shown: %s.", t->claims->writeup, why);
    if (p->parts > 1) text_format(&words, " Part %d of %d.", p->number, p->parts);
    text_format(out, "\\caption{");
    latex_breakable(out, words.at);
    text_format(out, "}\n\\label{tab:");
    for (const char *s = t->label; *s; s++) text_add(out, strchr("_%&#$~^\\{}", *s) ? "-" : s, 1);
    text_format(out, "-%d}\n", p->number);
    text_release(&words);
}

static void write_part(const Table *t, const Part *p, Text *out) {
    Grid grid = {0};
    fill(t, p, &grid);
    text_format(out, "\\begin{table}[tbp]\n\\centering\n");
    caption(t, p, out);
    text_format(out, "\\footnotesize\\setlength{\\tabcolsep}{%s}\n\\begin{tabular}", any_reported(p) ? "3.5pt" : "5pt");
    grid_columns(&grid, out);
    text_format(out, "\n\\toprule\n");
    column_heads(t, p, out);
    text_format(out, "\\midrule\n");
    grid_rows(&grid, out);
    text_format(out, "\\bottomrule\n\\end{tabular}\n");
    if (t->sample.seeds > 1) table_tests_tex(t, p, out);
    table_notes_tex(t, p, out);
    text_format(out, "\\end{table}\n");
}

/* Which arms of a part the write-up has numbers of, at its step. */
static void find_reported(const Table *t, Part *p) {
    const ReportedTable *r = table_reported(t, p->cell, p->step);
    for (int i = 0; r && i < p->arms; i++)
        for (int n = 0; n < r->numbers; n++) {
            const ClaimArm *named = &r->number[n].arm;
            p->reported[i] |= !strcmp(named->name, t->x->arm[p->arm[i]].name) &&
                              claim_arm_holds(named, table_spec(t, p->cell, p->arm[i]));
        }
}

/* The steps after 0, and the arms, four beside the baseline at a time. out NULL: counts only. */
static void each_part(const Table *t, int cell, int *number, int parts, Text *out) {
    const SampleCell *c = &t->sample.cell[cell];
    int base = t->sample.baseline;
    for (int step = c->step[0] ? 0 : 1; step < c->steps; step++)
        for (int arm = 0; arm == 0 || arm < t->sample.arms;) {
            Part p = {.cell = cell, .step = step, .arms = 1, .arm = {base}, .parts = parts};
            for (; arm < t->sample.arms && p.arms < PART_MOST_ARMS; arm++)
                if (arm != base) p.arm[p.arms++] = arm;
            while (arm == base && arm < t->sample.arms) arm++;
            find_reported(t, &p);
            p.number = ++*number;
            if (out) write_part(t, &p, out);
        }
}

const char *table_packages(const Table *t) {
    return t->options.siunitx
               ? "\\usepackage{booktabs}, \\usepackage{siunitx}; siunitx 3: \\sisetup{text-series-to-math = true}; 2: "
                 "\\usepackage{etoolbox}\\robustify\\bfseries\\sisetup{detect-weight = true}"
               : "\\usepackage{booktabs}";
}

void table_tex(const Table *t, Text *out) {
    int parts = 0, number = 0;
    table_header_comment(t, "table", out);
    text_format(out, "%% needs: %s\n", table_packages(t));
    for (int cell = 0; cell < t->sample.cells; cell++) each_part(t, cell, &parts, 0, NULL);
    for (int cell = 0; cell < t->sample.cells; cell++) each_part(t, cell, &number, parts, out);
}
