/* NAME-paper.tex: one table for a paper, at the last step. It fits a column of a two-column class or, where it cannot,
 * its text block (table*). A row per arm: means of the chosen metrics, the difference to the baseline with its
 * interval, and p. Where cells and arms are too many for that: factors across, arms down. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/write/prose.h"
#include "bench/write/summaries.h"

enum {
    COLUMN = 209, /* points that a table may take, less than the narrowest column (219): widths are estimated */
    LINES_MAX = 46,
    ACROSS_MAX = 8,
    LONGEST_LINE = 14, /* of an arm's name, in characters */
    LONGEST_NAME = 18  /* that is no number instead */
};

typedef struct {
    const Table *t;
    Metric metric[PAPER_METRICS_MAX];
    int metrics;
    bool spread, compared, wide; /* standard deviations; tests; factors across */
    unsigned marks;              /* that were used */
    bool bold;
} Paper;

/* Break words that are longer than a line at the blank or joint that leaves the shorter of two lines. */
static void in_two(const char *words, size_t longest, char first[128], char second[128]) {
    size_t n = strlen(words), best = 0, least = n;
    snprintf(first, 128, "%s", words);
    second[0] = 0;
    for (size_t i = 1; n > longest && i + 1 < n; i++) {
        bool blank = words[i] == ' ';
        size_t longer = i > n - i ? i : n - i;
        if ((blank || strchr("-_./,", words[i])) && longer < least) best = i + !blank, least = longer;
    }
    if (!best || best >= 128) return;
    first[best] = 0;
    snprintf(second, 128, "%s", words + best + (words[best] == ' '));
}

/* An arm's name in one line, or in two; a longer one is called by its number, which the caption explains. */
static void name_of(const Paper *p, int arm, char first[128], char second[128]) {
    const char *label = p->t->x->arm[arm].label;
    in_two(label, LONGEST_LINE, first, second);
    if (!p->spread) snprintf(first, 128, "%s", label), second[0] = 0;
    if (strlen(first) > LONGEST_NAME || strlen(second) > LONGEST_NAME)
        snprintf(first, 128, "[%d]", arm + 1), second[0] = 0;
}

/* No more decimals than the metric is shown with, however alike seeds or arms are. */
static int decimals_of(double uncertainty, Metric m) {
    int decimals = decimals_for(uncertainty, metric_info[m].digits);
    return decimals < metric_info[m].digits ? decimals : metric_info[m].digits;
}

static void mean_cell(Paper *p, int cell, int arm, Metric m, bool marked, Cells *c) {
    const Table *t = p->t;
    int step = table_last(t, cell);
    bool decided = m == t->metric || (t->metric == METRIC_valid_loss && m == METRIC_perplexity);
    SampleArm a = sample_arm(&t->sample, cell, step, arm, m);
    if (a.diverged)
        cell_format(c, "div. %d/%d", a.diverged, a.n), cell_emphasize(c);
    else
        cell_number(c, a.status == ST_OK ? a.mean : (double)NAN, decimals_of(a.sd, m));
    if (!decided) return;
    bool strong = table_tied(t, cell, step, arm);
    cell_strong(c, strong);
    p->bold |= strong;
    if (!marked) return;
    cell_mark(c, table_marks(t, cell, step, arm));
    p->marks |= table_marks(t, cell, step, arm);
}

static void spread_cell(const Paper *p, int cell, int arm, Metric m, Cells *c) {
    char sd[SHOWN];
    SampleArm a = sample_arm(&p->t->sample, cell, table_last(p->t, cell), arm, m);
    if (a.diverged || a.status != ST_OK || a.n < 2) {
        cell_none(c);
        return;
    }
    cell_shown(c, a.sd, SHOW_TEXT("±%s", show_number(sd, a.sd, decimals_of(a.sd, m))));
}

static void short_difference(const Comparison *one, Cells *c) {
    cell_signed(c, one->status == ST_OK ? one->t.mean : (double)NAN, decimals_of(one->t.se, one->what.metric));
}

static void marked_difference_cells(Paper *p, int cell, int arm, Cells *c) {
    const Table *t = p->t;
    const Comparison *one = table_comparison(t, cell, table_last(t, cell), arm);
    if (!one) return;
    short_difference(one, c);
    cell_mark(c, table_marks(t, cell, table_last(t, cell), arm));
    p->marks |= table_marks(t, cell, table_last(t, cell), arm);
    cell_p(c, one->joint.step);
}

static void interval_cell(const Comparison *one, Cells *c) {
    if (!one) return;
    if (one->t_decides && one->t.status == ST_OK)
        cell_interval(c, one->t.lo, one->t.hi, decimals_of(one->t.se, one->what.metric), "");
    else
        cell_text(c, one->t_decides ? "" : "diverged");
}

/* "mine - peri" in one line or two, in front of a difference that is not to the baseline. */
static void pair_row(const Paper *p, int arm, int against, char below[272], Cells *c) {
    char first[2][128], second[2][128];
    const char *label = p->t->x->arm[arm].label;
    name_of(p, arm, first[0], second[0]), name_of(p, against, first[1], second[1]);
    cells_row(c);
    cell_text(c, strlen(label) > LONGEST_NAME ? first[0] : label);
    snprintf(below, 272, "- %s%s%s", first[1], second[1][0] ? " " : "", second[1]);
    for (int k = 0; k < p->metrics; k++) cell_text(c, "");
}

static void below_row(const Paper *p, const char *words, Cells *c) {
    cells_row_below(c);
    cell_text(c, words);
    for (int k = 0; k < p->metrics; k++) cell_text(c, "");
}

/* The pairs of `compare` that are not a difference to the baseline. */
static void pair_rows(const Paper *p, int cell, Cells *c) {
    const Table *t = p->t;
    char below[272];
    for (const Comparison *one = t->family.at; t->x->compares && one < t->family.at + t->family.count; one++) {
        if (one->what.cell != cell || one->what.step != table_last(t, cell)) continue;
        if (one->what.term[1].arm == t->sample.baseline) continue;
        pair_row(p, one->what.term[0].arm, one->what.term[1].arm, below, c);
        short_difference(one, c), cell_p(c, one->joint.step);
        below_row(p, below, c), interval_cell(one, c);
    }
}

/* Marked where it is one to the baseline, as the sign's words have it. */
static void best_difference(Paper *p, const BestPair *pair, Cells *c) {
    const Table *t = p->t;
    cell_signed(c, pair->difference, decimals_for(pair->minus.se, RANKING_DIGITS));
    if (pair->against->arm == t->sample.baseline && decision_apart(pair->decision) && !t->exploratory)
        cell_mark(c, MARK_separated), p->marks |= MARK_separated;
    cell_p(c, pair->p.step);
}

static void best_interval(const BestPair *pair, Cells *c) {
    if (pair->minus.status == ST_OK)
        cell_interval(c, pair->minus.lo, pair->minus.hi, decimals_for(pair->minus.se, RANKING_DIGITS), "");
    else
        cell_text(c, pair->minus.status == ST_BAD_ARG ? "diverged" : "");
}

/* Arms of a group that may be the first by the tests of all pairs. As in table_tied, a tied set of all arms says
 * nothing, and neither does one with a diverged run. */
static bool best_tied(const Paper *p, const Ranking *y, const RankingRow *row) {
    const BoldMode mode = p->t->options.bold;
    int count = 0, lost = 0;
    if (p->t->exploratory || (p->t->options.partial && p->t->options.partial[0])) return false;
    for (const RankingRow *r = y->row; r < y->row + y->rows; r++)
        if (r->group == row->group && r->first == 1) count++, lost += r->judged_lost;
    return mode != BOLD_none && !(mode == BOLD_best && count > 1) && y->apart && count < y->arms && !lost &&
           row->first == 1;
}

/* An arm's judged losses and, of a pair with the baseline, their difference. */
static void best_arm(Paper *p, const Ranking *y, const RankingRow *row, const BestPair *pair, Cells *c) {
    char first[128], second[128], sd[SHOWN];
    name_of(p, row->arm, first, second);
    cells_row(c);
    cell_text(c, first);
    cell_number(c, row->t.mean, decimals_of(row->t.sd, p->metric[0]));
    const bool strong = best_tied(p, y, row);
    cell_strong(c, strong), p->bold |= strong;
    for (int k = 1; k < p->metrics; k++) cell_text(c, "");
    if (pair) best_difference(p, pair, c);
    cells_row_below(c);
    cell_text(c, second);
    cell_shown(c, row->t.sd, SHOW_TEXT("±%s", show_number(sd, row->t.sd, decimals_of(row->t.sd, p->metric[0]))));
    for (int k = 1; k < p->metrics; k++) cell_text(c, "");
    if (pair) best_interval(pair, c);
}

/* Arms at their best learning rates, below the cells of each rate. */
static void best_rows(Paper *p, Cells *c) {
    const Table *t = p->t;
    const Best *b = p->compared && p->metric[0] == METRIC_valid_loss ? table_best(t) : NULL;
    char below[272];
    for (int group = 0; b && group < b->ranking.groups; group++) {
        const char *where = b->ranking.group[group];
        cells_heading(c, SHOW_TEXT("each at its best lr%s%s", where[0] ? ", " : "", where));
        for (int arm = 0; arm < t->sample.arms; arm++)
            for (int i = 0; i < b->ranking.arms; i++) {
                const RankingRow *row = &b->ranking.row[group * b->ranking.arms + i];
                const BestPair *pair = NULL;
                for (int k = 0; k < b->pairs; k++)
                    if (b->pair[k].arm == row && b->pair[k].against->arm == t->sample.baseline) pair = &b->pair[k];
                if (row->arm == arm) best_arm(p, &b->ranking, row, pair, c);
            }
        for (int k = 0; k < b->pairs; k++) {
            const BestPair *pair = &b->pair[k];
            if (pair->group != group || pair->against->arm == t->sample.baseline) continue;
            pair_row(p, pair->arm->arm, pair->against->arm, below, c);
            best_difference(p, pair, c);
            below_row(p, below, c), best_interval(pair, c);
        }
    }
}

static void paper_column(Cells *c, const char *heading) {
    char first[128], second[128];
    in_two(heading, 10, first, second);
    cells_column_over(c, heading, 'r', second[0] ? second : first, second[0] ? first : "");
}

/* Arms down, cell by cell; metrics, difference and p across. */
static void stacked(Paper *p, Cells *c) {
    const Table *t = p->t;
    char first[128], second[128], heading[160];
    cells_column(c, "arm", 'l', "");
    for (int k = 0; k < p->metrics; k++) {
        snprintf(heading, sizeof heading, "%.100s%s", metric_info[p->metric[k]].heading, table_arrow(p->metric[k]));
        paper_column(c, heading);
    }
    snprintf(heading, sizeof heading, "Δ %.100s",
             t->metric == METRIC_valid_loss ? "loss" : metric_info[t->metric].heading);
    if (p->compared) paper_column(c, heading), cells_column(c, "p", 'r', "p");
    for (int cell = 0; cell < t->sample.cells; cell++) {
        cells_heading(c, CELL_WHERE(t->x, cell));
        for (int arm = 0; arm < t->sample.arms; arm++) {
            name_of(p, arm, first, second);
            cells_row(c);
            cell_text(c, first);
            for (int k = 0; k < p->metrics; k++) mean_cell(p, cell, arm, p->metric[k], false, c);
            if (p->compared) marked_difference_cells(p, cell, arm, c);
            if (!p->spread) continue;
            cells_row_below(c);
            cell_text(c, second);
            for (int k = 0; k < p->metrics; k++) spread_cell(p, cell, arm, p->metric[k], c);
            if (p->compared) interval_cell(table_comparison(t, cell, table_last(t, cell), arm), c);
        }
        if (p->compared) pair_rows(p, cell, c);
    }
    best_rows(p, c);
}

/* How many of the last factors stand across, and their cells: the last one, and one more while it fits. */
static int factors_across(const Table *t, int *cells) {
    int last = t->x->factors - 1;
    *cells = t->x->factor[last].values;
    if (!last || *cells * t->x->factor[last - 1].values > ACROSS_MAX) return 1;
    *cells *= t->x->factor[last - 1].values;
    return 2;
}

/* Cells whose number differs by one follow each other across: the last factor's level changes first. */
static void across(Paper *p, Cells *c) {
    const Table *t = p->t;
    int cells, factors = factors_across(t, &cells), last = t->x->factors - 1;
    char over[128], first[128], second[128], value[FACTOR_VALUE_SIZE];
    cells_column(c, "arm", 'l', t->x->factor[last].key);
    for (int i = 0; i < cells; i++) {
        over[0] = 0;
        if (factors > 1)
            snprintf(over, sizeof over, "%s = %s", t->x->factor[last - 1].key,
                     factor_text(value, &t->x->factor[last - 1], experiment_level(t->x, i, last - 1)));
        cells_column_over(c, SHOW_TEXT("cell%d", i), 'r',
                          factor_text(value, &t->x->factor[last], experiment_level(t->x, i, last)), over);
    }
    c->most_columns = ACROSS_MAX;
    for (int k = 0; k < p->metrics; k++)
        for (int block = 0; block < t->sample.cells / cells; block++) {
            LOCAL_TEXT(words);
            text_format(&words, "%s%s", metric_info[p->metric[k]].heading, table_arrow(p->metric[k]));
            for (int f = 0; f < t->x->factors - factors; f++) {
                text_format(&words, ", %s = %s", t->x->factor[f].key,
                            factor_text(value, &t->x->factor[f], experiment_level(t->x, block * cells, f)));
            }
            cells_heading(c, words.at);
            for (int arm = 0; arm < t->sample.arms; arm++) {
                name_of(p, arm, first, second);
                cells_row(c);
                cell_text(c, first);
                for (int i = 0; i < cells; i++) mean_cell(p, block * cells + i, arm, p->metric[k], true, c);
                if (!p->spread) continue;
                cells_row_below(c);
                cell_text(c, second);
                for (int i = 0; i < cells; i++) spread_cell(p, block * cells + i, arm, p->metric[k], c);
            }
        }
}

/* The names behind numbers. */
static void legend(const Paper *p, Text *out) {
    char first[128], second[128];
    for (int arm = 0; arm < p->t->sample.arms; arm++) {
        name_of(p, arm, first, second);
        if (first[0] == '[') text_format(out, " %s: %s.", first, p->t->x->arm[arm].label);
    }
}

/* Of rows at the best rates how they are made; where factors stand across, what was found there. */
static void best_caption(const Paper *p, Text *out) {
    const Best *b = p->metric[0] == METRIC_valid_loss ? table_best(p->t) : NULL;
    if (!b) return;
    if (!p->wide)
        text_format(out,
                    " At its best lr, each seed of an arm has the rate that the other seeds choose; the test of p "
                    "swaps two arms at all rates and chooses the rates anew, adjusted over %d comparison%s.",
                    b->pairs, b->pairs == 1 ? "" : "s");
    for (int i = 0; p->wide && i < b->pairs && i < 4; i++) {
        text_format(out, " ");
        best_sentence(p->t, b, &b->pair[i], out);
    }
}

/* What a column of differences holds: a pair of `compare` names its second arm, unless that is the baseline. */
static void compared(const Paper *p, Text *out) {
    const Table *t = p->t;
    const char *base = t->x->arm[t->sample.baseline].label;
    bool other = false, same = !t->x->compares;
    for (int i = 0; i < t->x->compares; i++)
        other |= t->x->compare[i].against != t->sample.baseline, same |= t->x->compare[i].against == t->sample.baseline;
    if (p->wide)
        text_format(out, " %s tested", t->x->compares ? "Pairs of arms are" : "Arms are");
    else
        text_format(out, " Δ is the difference%s", other ? " to the arm behind the minus sign" : "");
    if (p->wide && !t->x->compares) text_format(out, " against %s", base);
    if (!p->wide && same) text_format(out, "%s to %s", other ? ", else" : "", base);
}

/* What n is, what was tested and what the signs are. */
static void caption(const Paper *p, Text *out) {
    const Table *t = p->t;
    size_t from = out->length;
    prose_size(t, out);
    out->at[from] = (char)toupper((unsigned char)out->at[from]);
    text_format(out, ".");
    if (t->sample.seeds == 1) {
        text_format(out, " There is one seed, so the table is descriptive.");
        return;
    }
    text_format(out, " Each cell gives the mean and, below it, the standard deviation over n = %d %sseeds.",
                t->sample.seeds, t->family.count ? "paired " : "");
    if (!t->family.count) return;
    if (t->family.anytime) {
        compared(p, out);
        text_format(out, p->wide ? " at level %s%%" : ", below it the %s%% anytime interval", TABLE_CONFIDENCE(t));
        text_format(out, "; seeds were added until it was decided (");
        table_stop(t, out);
        text_format(out, "), and p, adjusted by Holm over %d, holds at every stop.", t->family.count);
        table_signs(t, p->marks, p->bold, out);
        return;
    }
    compared(p, out);
    if (p->wide)
        text_format(out, " by the ");
    else
        text_format(out, ", below it the %s%% paired t interval; p is that of the ", TABLE_CONFIDENCE(t));
    table_flips(t, out);
    if (t->family.count > 1) text_format(out, ", adjusted by step-down max-T over %d comparisons", t->family.count);
    text_format(out, " (the smallest possible p is ");
    prose_smallest_p(t, out);
    text_format(out, ").");
    if (isfinite(t->x->margin) && t->x->margin > 0)
        text_format(out, " Differences within ±%s count as too small to matter.", FORMAT_REAL(t->x->margin));
    table_look(t, out);
    table_signs(t, p->marks, p->bold, out);
    best_caption(p, out);
}

/* ", after 150 steps", or each cell's last step. */
static void title(const Table *t, Text *out) {
    if (table_end(t) >= 0)
        text_format(out, "After %d steps", table_end(t));
    else
        text_format(out, "At each cell's last step");
}

/* What was asked for, or the metric that decides and, beside it, the first other row of the experiment's table. */
static void choose_metrics(Paper *p) {
    const Table *t = p->t;
    p->metrics = t->options.metrics;
    memcpy(p->metric, t->options.metric, sizeof p->metric);
    if (p->metrics) return;
    p->metric[p->metrics++] = t->metric;
    for (const TableRow *row = t->x->row; row < t->x->row + t->x->rows && p->metrics < (p->wide ? 1 : 2); row++)
        if (row->metric != t->metric) p->metric[p->metrics++] = row->metric;
}

/* Of a table with arms down. */
static int lines_of(const Paper *p) {
    const Table *t = p->t;
    const Best *b = p->compared && t->metric == METRIC_valid_loss ? table_best(t) : NULL;
    int blocks = t->sample.cells + (b ? b->ranking.groups : 0), rows = t->sample.arms;
    for (int i = 0; p->compared && i < t->x->compares; i++) rows += t->x->compare[i].against != t->sample.baseline;
    return blocks * (1 + rows * (1 + p->spread));
}

void table_paper(const Table *t, Text *out) {
    Paper p = {.t = t, .spread = t->sample.seeds > 1, .compared = t->sample.seeds > 1 && t->family.count > 0};
    LOCAL(cells_release) Cells c = {0};
    LOCAL_TEXT(label);
    LOCAL_TEXT(mark);
    table_label(t, &label);
    text_format(&label, "-paper");
    p.wide = t->sample.cells > 1 && lines_of(&p) > LINES_MAX;
    choose_metrics(&p);
    cells_init(&c, "paper", "");
    title(t, &c.title);
    c.most_rows = LINES_MAX;
    if (p.wide)
        across(&p, &c);
    else
        stacked(&p, &c);
    caption(&p, &c.caption);
    legend(&p, &c.caption);
    TexLayout layout = table_layout(t, &mark);
    layout.label = label.at;
    layout.column = COLUMN;
    table_header_comment(t, "table for a paper", out);
    text_format(out, "%% needs: %s\n", table_packages(t));
    cells_tex(&c, &layout, out);
}
