/* NAME-paper.tex: one table for a paper, at the last step. It fits a column of a two-column class (219 pt and wider)
 * or, where it cannot, its text block (table*). A row per arm: means of the chosen metrics, the difference to the
 * baseline with its interval, and p. Where cells and arms are too many for that, a grid: factors across, arms down. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/write/table_grid.h"

enum {
    COLUMN = 2150,   /* tenths of a point that a table may take, a little less than the narrowest column has */
    BLOCK = 3900,    /* of the text block of 5.5 inches */
    SEPARATION = 60, /* between columns */
    LABEL = 560,     /* of one line of an arm's name; where that cannot be: */
    LONG_LABEL = 700,
    HEAD = 360,      /* of a column's heading */
    MOST_LINES = 46  /* of a float */
};

/* One float while it is filled. */
typedef struct {
    const Table *t;
    Metric metric[PAPER_MOST_METRICS];
    int metrics;
    Grid grid;
    char *before[GRID_MOST_ROWS]; /* LaTeX above the row, or NULL */
    Text head, block;             /* of the columns, and of the rows that follow */
    bool legend[EXPERIMENT_MOST_ARMS];
    Marks marks; /* that were used */
    bool bold, second_lines, wide; /* wide: a grid */
    int least[GRID_MOST_COLUMNS], least_sum; /* width of the columns' heads, and of what spans them all */
    int lines, parts; /* lines: of this float */
} Paper;

/* Tenths of a point that a text takes in footnotesize; a command counts as a broad sign. */
static int width_of(const char *latex) {
    int sum = 0;
    for (const char *s = latex; *s; s++) {
        if (*s == '\\' && ((s[1] | 32) >= 'a' && (s[1] | 32) <= 'z')) {
            while ((s[1] | 32) >= 'a' && (s[1] | 32) <= 'z') s++;
            sum += 66;
        } else if (strchr("${}\\^", *s) || (*s & 0xC0) == 0x80)
            continue;
        else if (strchr(".,:;'il|jt()[] ", *s))
            sum += 27;
        else if (strchr("mwMW+=<>", *s) || (*s == '-' && s > latex && s[-1] == '$'))
            sum += 70;
        else
            sum += *s >= 'A' && *s <= 'Z' ? 62 : 43;
    }
    return sum;
}

/* A name in one line of width `most`, or in two, broken where they come out most alike: at a blank, which goes, or
 * behind a joint. False: a line is wider. LaTeX's "\ " is a blank too. */
static bool in_two_lines(const char *name, int most, char line[2][128]) {
    int whole = width_of(name), best = whole <= most ? 0 : whole;
    snprintf(line[0], 128, "%s", name);
    line[1][0] = 0;
    for (const char *s = name; best && s[1]; s++) {
        char a[128], b[128];
        if (!strchr(" -_.,/", *s) || s == name) continue;
        size_t keep = (size_t)(s - name) + (*s != ' ');
        if (*s == ' ' && s[-1] == '\\') keep--;
        snprintf(a, sizeof a, "%.*s", (int)keep, name);
        snprintf(b, sizeof b, "%s", s + 1);
        int longer = width_of(a) > width_of(b) ? width_of(a) : width_of(b);
        if (longer >= best) continue;
        best = longer;
        memcpy(line[0], a, sizeof a), memcpy(line[1], b, sizeof b);
    }
    return best <= most;
}

static const char *arrow(Metric m) {
    return metric_info[m].better < 0 ? " $\\downarrow$" : metric_info[m].better > 0 ? " $\\uparrow$" : "";
}

static int last_step(const Table *t, int cell) {
    return t->sample.cell[cell].steps - 1;
}

/* An arm's name over its one or two rows, or "[3]" with its place in the legend. */
static void name_rows(Paper *p, int arm, GridRow *first, GridRow *second) {
    char line[2][128];
    Text words;
    text_init(&words);
    const char *label = p->t->x->arm[arm].label;
    bool short_one = second ? in_two_lines(label, LABEL, line) || in_two_lines(label, LONG_LABEL, line)
                            : in_two_lines(label, LONG_LABEL, line) && !line[1][0];
    if (!short_one) {
        snprintf(line[0], sizeof line[0], "[%d]", arm + 1), line[1][0] = 0;
        p->legend[arm] = true;
    }
    latex_text(&words, line[0]);
    snprintf(first->label, sizeof first->label, "%s", words.at);
    if (line[1][0]) {
        text_clear(&words);
        latex_text(&words, line[1]);
        snprintf(second->label, sizeof second->label, "\\quad %s", words.at);
    }
    text_release(&words);
}

/* No more decimals than the metric is shown with, however alike seeds or arms are. */
static int decimals_in_paper(double uncertainty, Metric m) {
    int decimals = decimals_for(uncertainty, metric_info[m].digits);
    return decimals < metric_info[m].digits ? decimals : metric_info[m].digits;
}

/* The mean of an arm's metric and, below, its standard deviation. */
static void mean_cells(Paper *p, int cell, int arm, Metric m, GridCell *mean, GridCell *below, bool marked) {
    const Table *t = p->t;
    int step = last_step(t, cell);
    bool decided = m == t->metric || (t->metric == METRIC_valid_loss && m == METRIC_perplexity);
    SampleArm a = sample_arm(&t->sample, cell, step, arm, m);
    int decimals = decimals_in_paper(a.sd, m);
    char sd[SHOWN];
    if (a.diverged) {
        snprintf(mean->text, sizeof mean->text, "div. %d/%d", a.diverged, a.n);
        mean->italic = true;
    } else if (a.status != ST_OK)
        snprintf(mean->text, sizeof mean->text, "n/a");
    else {
        show_number(mean->text, a.mean, decimals);
        if (below && a.n > 1) {
            snprintf(below->text, sizeof below->text, "$\\pm$%s", show_number(sd, a.sd, decimals));
            below->latex = true;
        }
    }
    if (decided && table_tied(t, cell, step, arm)) mean->bold = p->bold = true;
    if (!marked || !decided) return;
    mean->marks = table_marks(t, cell, step, arm);
}

static void difference_cells(const Comparison *c, GridCell *mean, GridCell *interval, GridCell *p) {
    int decimals = decimals_in_paper(c->t.se, c->what.metric);
    bool shown = c->t_decides && c->t.status == ST_OK;
    Text words;
    text_init(&words);
    show_signed(mean->text, c->status == ST_OK ? c->t.mean : (double)NAN, decimals);
    if (shown)
        show_interval(&words, c->t.lo, c->t.hi, decimals, "", true);
    else if (!c->t_decides)
        text_format(&words, "diverged");
    snprintf(interval->text, sizeof interval->text, "%s", words.at);
    interval->latex = true;
    show_p(p->text, c->joint.step);
    text_release(&words);
}

static void at_least(int *width, const char *latex) {
    int here = width_of(latex);
    if (here > *width) *width = here;
}

/* Headings in two rows; the lower one holds a short heading. names: LaTeX, one per column. */
static void two_line_head(Paper *p, char (*names)[128], Text *out) {
    char line[GRID_MOST_COLUMNS][2][128];
    int columns = p->grid.columns;
    bool any = false;
    for (int i = 0; i < columns; i++) {
        (void)in_two_lines(names[i], HEAD, line[i]);
        for (int row = 0; row < 2; row++) at_least(&p->least[i], line[i][row]);
        any |= line[i][1][0] != 0;
    }
    for (int row = any ? 0 : 1; row < 2; row++) {
        for (int i = 0; i < columns; i++) {
            const char *text = line[i][1][0] ? line[i][row] : row ? line[i][0] : "";
            text_format(out, text[0] ? " & {%s}" : " &", text);
        }
        text_format(out, " \\\\\n");
    }
}

static int natural_width(const Paper *p) {
    const Grid *g = &p->grid;
    int sum = 0, most = 0;
    for (int i = 0; i < g->rows; i++) at_least(&most, g->row[i].label);
    for (int c = 0; c < g->columns; c++) {
        int widest = p->least[c];
        for (int i = 0; i < g->rows; i++) {
            const GridCell *one = &g->row[i].cell[c];
            int marks = 45 * (one->marks.separated + one->marks.equivalent + one->marks.diverged);
            int broader = one->bold ? 116 : one->italic ? 120 : 100; /* percent */
            int here = width_of(one->text) * broader / 100 + marks + (g->siunitx ? 20 : 0);
            if (one->latex) here = here * 94 / 100;
            widest = here > widest ? here : widest;
        }
        sum += widest + SEPARATION;
    }
    return sum + most > p->least_sum ? sum + most : p->least_sum;
}

static void note_marks(Paper *p) {
    for (int i = 0; i < p->grid.rows; i++)
        for (int c = 0; c < p->grid.columns; c++) {
            Marks m = p->grid.row[i].cell[c].marks;
            p->marks.separated |= m.separated, p->marks.equivalent |= m.equivalent, p->marks.diverged |= m.diverged;
        }
}

/* What n is, what was tested and what the signs are. */
static void caption(const Paper *p, Text *out) {
    const Table *t = p->t;
    const char *base = t->x->arm[t->sample.baseline].label;
    char number[SHOWN], conf[40], margin[40], alpha[40];
    int step = t->sample.cell[0].step[last_step(t, 0)];
    bool same = true;
    Text words;
    text_init(&words);
    for (int cell = 1; cell < t->sample.cells; cell++) same &= t->sample.cell[cell].step[last_step(t, cell)] == step;
    text_format(&words, "%s%s%s%s", table_mark(t), t->exploratory ? ", not the declared comparison: " : "", t->x->title,
                p->parts ? ", continued" : "");
    if (same)
        text_format(&words, ", after %d steps. ", step);
    else
        text_format(&words, ", at each cell's last step. ");
    if (t->sample.cells == 1)
        table_corpus(t, 0, &words);
    else
        table_sources(t, &words);
    if (t->sample.seeds == 1)
        text_format(&words, " Single seed: descriptive.");
    else
        text_format(&words, " Mean and, below it, standard deviation over n = %d %sseeds.", t->sample.seeds,
                    t->family.count ? "paired " : "");
    latex_breakable(out, words.at);
    text_clear(&words);
    if (t->sample.seeds > 1 && t->family.count) {
        table_confidence(t, conf);
        if (!p->wide) {
            text_format(&words, "minus %s, below it the %s%% paired t interval; ", base, conf);
            text_format(out, " $\\Delta$: ");
            latex_breakable(out, words.at);
            text_format(out, "$p$: ");
        } else {
            text_format(out, " Tested against ");
            latex_breakable(out, base);
            text_format(out, " by the ");
        }
        text_clear(&words);
        table_flips(t, "", &words);
        if (t->family.count > 1)
            text_format(&words, ", adjusted by step-down max-T over %d comparisons", t->family.count);
        latex_breakable(out, words.at);
        text_format(out, " (smallest possible $p$: ");
        latex_number(out, show_p(number, t->family.floor));
        text_format(out, ").");
        format_real(alpha, t->x->alpha);
        format_real(margin, t->x->margin);
        if (p->marks.separated) text_format(out, " $\\dagger$:~$p < %s$.", alpha);
        if (p->marks.equivalent)
            text_format(out, " $\\ddagger$:~within $\\pm$%s%s.", margin,
                        p->marks.separated ? ", so with $\\dagger$ too small to matter" : "");
        if (p->marks.diverged) text_format(out, " \\S:~a run diverged and counts as the uniform predictor.");
        if (p->bold) text_format(out, " Bold: best, with all not separated from it.");
    }
    for (int arm = 0; arm < t->sample.arms; arm++) {
        if (!p->legend[arm]) continue;
        text_format(out, " {}[%d]: ", arm + 1);
        latex_breakable(out, t->x->arm[arm].label);
        text_format(out, ".");
    }
    text_release(&words);
}

static void write_float(Paper *p, Text *out) {
    const Grid *g = &p->grid;
    if (!g->rows) return;
    note_marks(p);
    int width = natural_width(p);
    bool star = width * 94 / 100 > COLUMN, tight = width > (star ? BLOCK : COLUMN);
    text_format(out, "\\begin{table%s}[tbp]\n\\centering\n\\caption{\\emergencystretch=2em ", star ? "*" : "");
    caption(p, out);
    text_format(out, "}\n\\label{tab:");
    for (const char *s = p->t->label; *s; s++) text_add(out, strchr("_%&#$~^\\{}", *s) ? "-" : s, 1);
    text_format(out, "-paper");
    if (p->parts) text_format(out, "-%d", p->parts + 1);
    text_format(out, "}\n\\smallskip\n\\%s\\setlength{\\tabcolsep}{%dpt}\n\\begin{tabular}",
                tight ? "scriptsize" : "footnotesize", SEPARATION / 20);
    grid_columns(g, out);
    text_format(out, "\n\\toprule\n");
    for (int i = 0; i < g->rows; i++) {
        if (p->before[i]) text_format(out, "%s", p->before[i]);
        grid_row_tex(g, i, out);
        free(p->before[i]);
        p->before[i] = NULL;
    }
    text_format(out, "\\bottomrule\n\\end{tabular}\n\\end{table%s}\n", star ? "*" : "");
    p->parts++;
    p->grid.rows = p->lines = 0;
}

/* A row of an arm, and a second one where there are deviations; above: LaTeX that stands over it. A full float is
 * written, and the next begins with the heads again. */
static void arm_rows(Paper *p, int arm, Text *above, GridRow *row[2], Text *out) {
    if (p->lines + 2 > MOST_LINES) write_float(p, out);
    int at = p->grid.rows;
    if (!at) { /* the heads, with no space or rule over them */
        text_clear(above);
        text_format(above, "%s\\midrule\n%s", p->head.at, p->block.at);
    }
    row[0] = grid_row(&p->grid, "");
    row[1] = p->second_lines ? grid_row(&p->grid, "") : NULL;
    name_rows(p, arm, row[0], row[1]);
    if (above->length) p->before[at] = mem_text(above->at);
    p->lines += 1 + p->second_lines;
    for (const char *s = above->at; (s = strstr(s, "\\\\")); s += 2) p->lines++;
    text_clear(above);
}

static const char space[] = "\\addlinespace[1.5pt]\n";

/* A block of rows: "token\_std = 0.02". */
static void begin_block(Paper *p, const char *latex) {
    text_clear(&p->block);
    at_least(&p->least_sum, latex);
    if (latex[0]) text_format(&p->block, "\\multicolumn{%d}{@{}l}{\\textit{%s}} \\\\\n", p->grid.columns + 1, latex);
}

/* Arms down, cell by cell; metrics, difference and p across. */
static void stacked(Paper *p, Text *out) {
    const Table *t = p->t;
    bool compared = t->sample.seeds > 1 && t->family.count > 0;
    char heads[GRID_MOST_COLUMNS][128], where[256];
    Text above, words;
    text_init(&above);
    text_init(&words);
    for (int k = 0; k < p->metrics; k++)
        snprintf(heads[k], sizeof *heads, "%s%s", metric_info[p->metric[k]].tex, arrow(p->metric[k]));
    p->grid.columns = p->metrics + (compared ? 2 : 0);
    if (compared) {
        bool loss = t->metric == METRIC_valid_loss;
        snprintf(heads[p->metrics], sizeof *heads, "$\\Delta$ %s", loss ? "loss" : metric_info[t->metric].tex);
        snprintf(heads[p->metrics + 1], sizeof *heads, "$p$");
    }
    two_line_head(p, heads, &p->head);
    for (int cell = 0; cell < t->sample.cells; cell++) {
        text_clear(&words);
        latex_text(&words, experiment_cell_text(where, t->x, cell));
        begin_block(p, words.at);
        text_format(&above, "\\addlinespace\n%s", p->block.at);
        for (int arm = 0; arm < t->sample.arms; arm++) {
            GridRow *row[2];
            arm_rows(p, arm, &above, row, out);
            for (int k = 0; k < p->metrics; k++)
                mean_cells(p, cell, arm, p->metric[k], &row[0]->cell[k], row[1] ? &row[1]->cell[k] : NULL, false);
            const Comparison *c = compared ? table_comparison(t, cell, last_step(t, cell), arm) : NULL;
            if (c) {
                GridCell *d = &row[0]->cell[p->metrics];
                difference_cells(c, d, &row[1]->cell[p->metrics], d + 1);
                d->marks = table_marks(t, cell, last_step(t, cell), arm);
            }
            text_format(&above, "%s", space);
        }
        text_clear(&above);
    }
    write_float(p, out);
    text_release(&above);
    text_release(&words);
}

/* How many of the last factors stand across, and their cells: the last one, and more while they fit. */
static int factors_across(const Table *t, int most, int *cells) {
    int n = 1, product = t->x->factor[t->x->factors - 1].values;
    while (n < t->x->factors && product * t->x->factor[t->x->factors - 1 - n].values <= most)
        product *= t->x->factor[t->x->factors - 1 - n++].values;
    *cells = product;
    return n;
}

/* One row of heads per factor, the outer ones over groups; columns first … last - 1 of those across. */
static void grid_head(Paper *p, int across, int cells, int first, int last) {
    const Table *t = p->t;
    Text *out = &p->head;
    int group = cells;
    text_clear(out);
    for (int f = t->x->factors - across; f < t->x->factors; f++) {
        const char *key = t->x->factor[f].key;
        group /= t->x->factor[f].values;
        latex_text(out, key);
        for (int c = first; c < last; c += group) {
            const char *level = t->x->factor[f].value[experiment_level(t->x, c, f)];
            if (group > 1)
                text_format(out, " & \\multicolumn{%d}{c}{", group);
            else
                text_format(out, " & {");
            latex_text(out, level);
            at_least(&p->least[(c - first) / group], level);
            text_format(out, "}");
        }
        text_format(out, " \\\\\n");
        for (int c = first; group > 1 && c < last; c += group)
            text_format(out, "\\cmidrule(lr){%d-%d}", c - first + 2, c - first + 1 + group);
        if (group > 1) text_format(out, "\n");
    }
}

/* Cells whose number differs by one follow each other across: the last factor's level changes first. */
static void grid(Paper *p, Text *out) {
    enum { MOST_ACROSS = 8 };
    const Table *t = p->t;
    int cells, across = factors_across(t, MOST_ACROSS, &cells), blocks = t->sample.cells / cells;
    char where[256];
    Text above, words;
    text_init(&above);
    text_init(&words);
    int panels = (cells + MOST_ACROSS - 1) / MOST_ACROSS, most = (cells + panels - 1) / panels;
    p->grid.columns = most;
    for (int first = 0; first < cells; first += most) {
        int last = first + most < cells ? first + most : cells;
        grid_head(p, across, cells, first, last);
        text_clear(&above);
        text_format(&above, "\\midrule\n%s\\midrule\n", p->head.at);
        for (int k = 0; k < p->metrics; k++)
            for (int block = 0; block < blocks; block++) {
                text_clear(&words);
                text_format(&words, "%s%s", metric_info[p->metric[k]].tex, arrow(p->metric[k]));
                for (int f = 0; f < t->x->factors - across; f++) {
                    text_format(&words, ", ");
                    snprintf(where, sizeof where, "%s = %s", t->x->factor[f].key,
                             t->x->factor[f].value[experiment_level(t->x, block * cells, f)]);
                    latex_text(&words, where);
                }
                begin_block(p, words.at);
                if (k || block) text_clear(&above), text_format(&above, "\\addlinespace\n");
                text_format(&above, "%s", p->block.at);
                for (int arm = 0; arm < t->sample.arms; arm++) {
                    GridRow *row[2];
                    arm_rows(p, arm, &above, row, out);
                    for (int c = first; c < last; c++)
                        mean_cells(p, block * cells + c, arm, p->metric[k], &row[0]->cell[c - first],
                                   row[1] ? &row[1]->cell[c - first] : NULL, true);
                    text_format(&above, "%s", space);
                }
            }
    }
    write_float(p, out);
    text_release(&above);
    text_release(&words);
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

void table_paper(const Table *t, Text *out) {
    Paper *p = mem_alloc(1, sizeof *p);
    p->t = t;
    p->grid.siunitx = t->options.siunitx;
    p->second_lines = t->sample.seeds > 1;
    text_init(&p->head);
    text_init(&p->block);
    int lines = t->sample.cells * (1 + t->sample.arms * (1 + p->second_lines));
    p->wide = t->sample.cells > 1 && lines > MOST_LINES;
    choose_metrics(p);
    table_header_comment(t, "table for a paper", out);
    text_format(out, "%% needs: %s\n", table_packages(t));
    if (p->wide)
        grid(p, out);
    else
        stacked(p, out);
    text_release(&p->head);
    text_release(&p->block);
    free(p);
}
