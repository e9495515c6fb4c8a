/* The table on the terminal: the same numbers, aligned by blanks. */
#include <math.h>
#include <string.h>

#include "bench/verdict/anytime.h"
#include "bench/write/claims.h"
#include "bench/write/summaries.h"
#include "bench/write/table.h"

void table_wrapped(const char *text, int indent, Text *out) {
    text_wrapped(out, SHOW_TEXT("%*s", indent, ""), text, indent, PAGE_WIDTH);
}

/* "NAME: TITLE"; of an experiment without a title its name alone. */
static void heading(const Table *t, Text *out) {
    text_format(out, "%s", t->name);
    if (strcmp(t->name, t->x->title) != 0) text_format(out, ": %s", t->x->title);
}

void table_text(const Table *t, Text *out) {
    table_text_wide(t, PAGE_WIDTH, out);
}

void table_text_wide(const Table *t, int width, Text *out) {
    LOCAL(cells_list_release) CellsList all = {0};
    LOCAL_TEXT(words);
    table_exploratory(t, &words);
    heading(t, out);
    text_format(out, "%s%s%s%s%s\n", words.length ? "  [" : "", table_mark(t), words.length ? ": " : "", words.at,
                words.length ? "]" : "");
    summaries_text(t, false, width, out);
    translations_shown(t, out);
    results_all(t, false, &all);
    claims_tables(t, &all);
    cells_list_text(&all, width, out);
    text_clear(&words);
    claims_not_run(t, &words);
    if (words.length) text_wrapped(out, "", words.at, 0, width);
    text_clear(&words);
    table_methods(t, &words);
    text_format(out, "\n");
    text_wrapped(out, "", words.at, 0, width);
    text_clear(&words);
    table_signature(t, &words);
    text_format(out, "%s\n", words.at);
}

void table_markdown(const Table *t, Text *out) {
    LOCAL(cells_list_release) CellsList all = {0};
    LOCAL_TEXT(words);
    heading(t, &words);
    text_format(out, "## ");
    markdown_text(words.at, out);
    text_format(out, "\n");
    text_clear(&words);
    table_exploratory(t, &words);
    if (words.length) text_format(out, "\n%s: %s\n", table_mark(t), words.at);
    results_all(t, false, &all);
    claims_tables(t, &all);
    cells_list_markdown(&all, out);
    text_clear(&words);
    table_methods(t, &words);
    text_format(out, "\n");
    markdown_text(words.at, out);
    text_format(out, "\n");
}

/* ---- NAME.tex: the write-up's rows and columns with its numbers beside ours, then the paired tests ---- */

const char *table_packages(const Table *t) {
    return t->options.siunitx
               ? "\\usepackage{booktabs}, \\usepackage{siunitx}; siunitx 3: \\sisetup{text-series-to-math = true}; 2: "
                 "\\usepackage{etoolbox}\\robustify\\bfseries\\sisetup{detect-weight = true}"
               : "\\usepackage{booktabs}, and of wide tables \\usepackage{graphicx}";
}

/* A label that LaTeX takes: without its special characters. */
void table_label(const Table *t, Text *out) {
    for (const char *s = t->label; *s; s++) text_add(out, strchr("_%&#$~^\\{}", *s) ? "-" : s, 1);
}

void table_tex(const Table *t, Text *out) {
    LOCAL(cells_list_release) CellsList all = {0};
    LOCAL_TEXT(label);
    LOCAL_TEXT(mark);
    table_label(t, &label);
    TexLayout layout = table_layout(t, &mark);
    layout.label = label.at;
    table_header_comment(t, "table", out);
    text_format(out, "%% needs: %s\n", table_packages(t));
    results_all(t, true, &all);
    cells_list_tex(&all, &layout, out);
}

/* NAME-claims.tex; what is not run stands in comments. */
void table_claims_tex(const Table *t, Text *out) {
    LOCAL(cells_list_release) CellsList all = {0};
    LOCAL_TEXT(mark);
    LOCAL_TEXT(words);
    TexLayout layout = table_layout(t, &mark);
    table_header_comment(t, "claims", out);
    claims_not_run(t, &words);
    if (words.length) text_format(out, "%% %s\n", words.at);
    claims_tables(t, &all);
    cells_list_tex(&all, &layout, out);
}

/* ---- NAME.csv: one line per cell, step, arm and metric; the comparison with the baseline in the lines of the
 * metric that decides. Empty: not measured, or not there. Where seeds are added until it is decided, delta_lo,
 * delta_hi, p_adjusted, p_holm and p_inside hold at every stop, what is of a fixed number of seeds is empty, and
 * decided_at stands last. ---- */

static double shown(bool yes, double x) {
    return yes ? x : (double)NAN;
}

static void comparison_cells(const Table *t, const Comparison *c, Cells *out) {
    bool ok = c->status == ST_OK, t_ok = ok && c->t_decides && c->t.status == ST_OK,
         flip = ok && c->flip.status == ST_OK, fixed = !t->family.anytime;
    bool boot = ok && c->t_decides && c->boot.status == ST_OK, bca = boot && c->boot.bca.status == ST_OK;
    const double number[] = {shown(ok, c->t.mean),
                             shown(t_ok, c->t.lo),
                             shown(t_ok, c->t.hi),
                             shown(ok && t->metric == METRIC_valid_loss, exp(c->t.mean)),
                             shown(flip && fixed, c->flip.p),
                             shown(flip && fixed, (double)c->flip.count),
                             shown(flip && fixed, (double)c->flip.total),
                             shown(flip && fixed, c->flip.p_min),
                             c->joint.step,
                             shown(fixed && !isnan(c->joint.step), (double)c->joint.step_count),
                             c->holm,
                             shown(boot, c->boot.percentile.lo),
                             shown(boot, c->boot.percentile.hi),
                             shown(bca, c->boot.bca.lo),
                             shown(bca, c->boot.bca.hi),
                             shown(ok && c->t_decides && c->tost.status == ST_OK, c->tost.p),
                             shown(ok && c->effect.status == ST_OK, c->effect.g_z),
                             shown(ok, c->effect.vr),
                             c->inside_p,
                             shown(c->together.status == ST_OK, c->together.lo),
                             shown(c->together.status == ST_OK, c->together.hi),
                             c->joint_ranks,
                             shown(c->stall.status == ST_OK, c->stall.p),
                             shown(c->turning >= 0, c->turning)};
    for (size_t i = 0; i < sizeof number / sizeof *number; i++) cell_exact(out, number[i]);
    cell_text(out, decision_name(c->decision));
    cell_text(out, t->exploratory ? "true" : "false");
    cell_by(out, table_decision, t, c);
    const Anytime *a = t->family.anytime ? &t->family.anytime[c - t->family.at] : NULL;
    if (a) cell_exact(out, shown(a->at, a->at));
}

static void csv_row(const Table *t, int cell, int step, int arm, Metric m, Cells *out) {
    enum { OF_COMPARISON = 25 }; /* cells before `exploratory` */
    SampleArm a = sample_arm(&t->sample, cell, step, arm, m);
    const ReportedNumber *number = table_reported_number(t, cell, step, arm, metric_info[m].key);
    const Comparison *c = m == t->metric ? table_comparison(t, cell, step, arm) : NULL;
    cells_row(out);
    cell_text(out, t->x->name), cell_text(out, t->x->profile);
    cell_text(out, CELL_WHERE(t->x, cell));
    cell_integer(out, t->sample.cell[cell].step[step]);
    cell_text(out, t->x->arm[arm].name), cell_text(out, metric_info[m].key);
    cell_integer(out, a.n);
    cell_exact(out, a.mean), cell_exact(out, a.sd), cell_exact(out, a.median);
    cell_exact(out, a.least), cell_exact(out, a.most);
    cell_integer(out, a.diverged), cell_integer(out, a.above), cell_integer(out, a.stalled);
    cell_text(out, number ? number->text : "");
    cell_text(out, number ? SHOW_TEXT("%s:%d", t->claims->file, number->line) : "");
    if (c) {
        comparison_cells(t, c, out);
        return;
    }
    for (int i = 0; i < OF_COMPARISON; i++) cell_none(out);
    cell_text(out, t->exploratory ? "true" : "false");
}

void table_csv(const Table *t, Text *out) {
    LOCAL(cells_release) Cells c = {0};
    cells_init(&c, "table", "");
    cells_data(&c, "experiment", "profile", "cell", "step", "arm", "metric", "n", "mean", "sd", "median", "least",
               "most", "diverged", "above_ln_v", "stalled", "reported", "reported_at", "delta", "delta_lo", "delta_hi",
               "ratio", "p_signflip", "p_count", "p_total", "p_floor", "p_adjusted", "p_adjusted_count", "p_holm",
               "boot_lo", "boot_hi", "bca_lo", "bca_hi", "p_tost", "g_z", "pairing_gain", "p_inside", "flip_lo",
               "flip_hi", "p_ranks", "stalled_p", "turning_seeds", "decision", "exploratory", "verdict");
    if (t->family.anytime) cells_column(&c, "decided_at", 'X', "");
    for (int cell = 0; cell < t->sample.cells; cell++)
        for (int step = 0; step < t->sample.cell[cell].steps; step++)
            for (int arm = 0; arm < t->sample.arms; arm++)
                for (int m = 0; m < METRIC_COUNT; m++)
                    if (metric_measured((Metric)m, t->x)) csv_row(t, cell, step, arm, (Metric)m, &c);
    cells_csv(&c, out);
}
