/* NAME-differences: every arm minus the baseline at the last step, one row per cell and arm. A row shows the seeds one
 * by one, their mean with its paired t interval, the margin and the verdict: the numbers of NAME.json's `family`. */
#include <math.h>
#include <stdio.h>

#include "bench/verdict/words.h"
#include "bench/write/figure_sheet.h"

enum { MOST_ROWS = 40, ROW = 21, NARROW_ROW = 33, LABELS = 150, WORDS = 112, NUMBER = 4 };

static int last_step(const Table *t, int cell) {
    return t->sample.cell[cell].steps - 1;
}

/* The comparison of (cell, place), places being the arms but the baseline; NULL: the runs end at step 0. */
static const Comparison *comparison_at(const Table *t, int cell, int place, int *arm) {
    *arm = place < t->sample.baseline ? place : place + 1;
    return table_comparison(t, cell, last_step(t, cell), *arm);
}

static bool together(const Table *t) {
    return t->sample.cells * (t->sample.arms - 1) <= MOST_ROWS;
}

static int parts(const Table *t) {
    return together(t) ? 1 : t->sample.cells;
}

static int named_cell(const Table *t, int part) {
    return together(t) ? -1 : part;
}

static int first_cell(const Table *t, int part) {
    return together(t) ? 0 : part;
}

static int end_cell(const Table *t, int part) {
    return together(t) ? t->sample.cells : part + 1;
}

static bool any(const Table *t, int part) {
    int found = 0, arm;
    for (int cell = first_cell(t, part); cell < end_cell(t, part); cell++)
        for (int place = 0; place + 1 < t->sample.arms; place++) {
            const Comparison *c = comparison_at(t, cell, place, &arm);
            found += c && c->status == ST_OK;
        }
    return found > 0 && t->sample.seeds > 1;
}

/* Rows from the top, counted in rows: a cell's name, where there are several, takes three quarters of one. */
#define CELL_NAME 0.75
static double row_at(const Table *t, int part, int cell, int place) {
    double names = t->sample.cells > 1 ? CELL_NAME : 0;
    int before = cell - first_cell(t, part);
    return before * (names + t->sample.arms - 1) + names + place + 0.5;
}

static double rows_of(const Table *t, int part) {
    return row_at(t, part, end_cell(t, part) - 1, t->sample.arms - 2) + 0.5;
}

static bool shown(const Comparison *c) {
    return c->t_decides && c->t.status == ST_OK;
}

static bool diverged(const Table *t, const Comparison *c, int seed) {
    for (int i = 0; i < c->what.terms; i++)
        if (sample_run(&t->sample, c->what.cell, c->what.step, c->what.term[i].arm, seed)->diverged) return true;
    return false;
}

/* Where a row's marks stand below its middle, in rows; in the narrow figure the words stand above them. */
#define SEEDS 0.02
#define MEAN 0.28
#define MIDDLE ((MEAN - SEEDS) / 2)

/* $s: seeds; $x: those where a run diverged; $m: mean and interval. */
static void data(const Table *t, int part, Text *out) {
    for (int cell = first_cell(t, part); cell < end_cell(t, part); cell++)
        for (int place = 0, arm; place + 1 < t->sample.arms; place++) {
            const Comparison *c = comparison_at(t, cell, place, &arm);
            double y = -row_at(t, part, cell, place);
            bool ok = c && c->status == ST_OK;
            for (int lost = 0; lost < 2; lost++) {
                int found = 0;
                text_format(out, "$%s%d_%d << END\n", lost ? "x" : "s", cell, arm);
                for (int seed = 0; ok && seed < t->sample.seeds; seed++)
                    if (diverged(t, c, seed) == lost) {
                        text_format(out, "%.17g %.9g %llu\n", c->pairs.d[seed], y + SEEDS,
                                    (unsigned long long)t->x->seed[seed]);
                        found++;
                    }
                text_format(out, found ? "END\n" : "NaN NaN 0\nEND\n");
            }
            text_format(out, "$m%d_%d << END\n", cell, arm);
            if (!ok)
                text_format(out, "NaN NaN NaN NaN\nEND\n");
            else if (shown(c))
                text_format(out, "%.17g %.9g %.17g %.17g\nEND\n", c->t.mean, y - MEAN, c->t.lo, c->t.hi);
            else
                text_format(out, "%.17g %.9g %.17g %.17g\nEND\n", c->t.mean, y - MEAN, c->t.mean, c->t.mean);
        }
}

static void range_of(const Table *t, int part, double *least, double *most) {
    double margin = isfinite(t->x->margin) ? t->x->margin : 0;
    *least = -1.15 * margin, *most = 1.15 * margin;
    for (int cell = first_cell(t, part); cell < end_cell(t, part); cell++)
        for (int place = 0, arm; place + 1 < t->sample.arms; place++) {
            const Comparison *c = comparison_at(t, cell, place, &arm);
            if (!c || c->status != ST_OK) continue;
            for (size_t i = 0; i < c->pairs.n; i++)
                *least = fmin(*least, c->pairs.d[i]), *most = fmax(*most, c->pairs.d[i]);
            if (shown(c)) *least = fmin(*least, c->t.lo), *most = fmax(*most, c->t.hi);
        }
    double room = 0.04 * (*most - *least);
    *least -= room > 0 ? room : 1, *most += room > 0 ? room : 1;
}

/* "better", "worse, but within 0.02", "the same within 0.02", "not decided": decision_words in the room that there is,
 * without the baseline, which the axis names. */
static void verdict(const Comparison *c, Text *out) {
    int better = metric_info[c->what.metric].better;
    bool lower = decision_lower(c->decision);
    char margin[40];
    format_real(margin, c->what.margin);
    switch (c->decision) {
    case DECISION_LOWER:
    case DECISION_HIGHER:
    case DECISION_LOWER_NEGLIGIBLE:
    case DECISION_HIGHER_NEGLIGIBLE:
        text_format(out, "%s", !better ? lower ? "lower" : "higher" : lower == (better < 0) ? "better" : "worse");
        if (decision_negligible(c->decision)) text_format(out, ", but within %s", margin);
        break;
    case DECISION_EQUIVALENT: text_format(out, "the same within %s", margin); break;
    case DECISION_INCONCLUSIVE: text_format(out, "not decided"); break;
    case DECISION_NOT_TESTABLE: text_format(out, "too few seeds"); break;
    }
}

/* "+0.1173 [0.1120, 0.1227]" */
static void numbers(const Comparison *c, Text *out) {
    char mean[SHOWN];
    int digits = decimals_for(c->t.se, NUMBER);
    digits = digits > NUMBER ? NUMBER : digits;
    text_format(out, "%s", show_signed(mean, c->t.mean, digits));
    if (!shown(c)) return;
    text_format(out, " ");
    show_interval(out, c->t.lo, c->t.hi, digits, "", false);
}

static void row_words(const Table *t, int part, const Sheet *s, int cell, int place, double row, Text *out) {
    int arm;
    char label[SHEET_LINE];
    const Comparison *c = comparison_at(t, cell, place, &arm);
    double y = s->head + s->above + row * row_at(t, part, cell, place), top = y + row * (s->narrow ? -0.3 : MIDDLE);
    Text words;
    text_init(&words);
    if (c && c->status == ST_OK)
        verdict(c, &words);
    else
        text_format(&words, "n/a");
    int room = s->narrow ? sheet_fit(s->width - 12, 7) - 2 - (int)words.length : sheet_fit(s->left - 12, 7);
    sheet_text(s, 4, top, ALIGN_left, 7, false, figure_cut(label, t->x->arm[arm].label, room), out);
    sheet_text(s, s->width - 4, top - (s->narrow ? 0 : 4.5), ALIGN_right, 7, false, words.at, out);
    text_clear(&words);
    if (c && c->status == ST_OK) numbers(c, &words);
    if (!s->narrow) sheet_text(s, s->width - 4, top + 4.5, ALIGN_right, 7, true, words.at, out);
    text_release(&words);
}

/* Which side is better, at the ends of the axis; what the difference is, between. */
static void axis_words(const Table *t, const Sheet *s, Text *out) {
    int better = metric_info[t->metric].better;
    double y = s->head + s->above + s->panel + 18, left = s->left, right = s->width - s->right;
    char words[SHEET_LINE], cut[SHEET_LINE];
    snprintf(words, sizeof words, "%s minus %.100s's", metric_info[t->metric].heading,
             t->x->arm[t->sample.baseline].label);
    if (better) {
        sheet_text(s, left, y, ALIGN_left, 7, false, better < 0 ? "← better" : "← worse", out);
        sheet_text(s, right, y, ALIGN_right, 7, false, better < 0 ? "worse →" : "better →", out);
    }
    sheet_text(s, (left + right) / 2, y, ALIGN_centre, 7, false,
               figure_cut(cut, words, sheet_fit(right - left - (better ? 72 : 0), 7)), out);
}

static void notes(const Table *t, int part, Sheet *s) {
    int lost = 0;
    char conf[40], alpha[40], margin[40];
    Text note;
    text_init(&note);
    for (int cell = first_cell(t, part); cell < end_cell(t, part); cell++)
        for (int place = 0, arm; place + 1 < t->sample.arms; place++) {
            const Comparison *c = comparison_at(t, cell, place, &arm);
            lost += c && c->diverged_a + c->diverged_b;
        }
    text_format(&note, "○ One per seed (%d). Below: mean and paired %s%% t interval.", t->sample.seeds,
                table_confidence(t, conf));
    if (isfinite(t->x->margin)) text_format(&note, " Shaded: within %s.", format_real(margin, t->x->margin));
    text_format(&note, " Verdict: sign-flip test at level %s, adjusted for the table's %d comparisons.",
                format_real(alpha, t->x->alpha), t->family.count);
    if (lost) text_format(&note, " × A run diverged and counts as the uniform predictor: no interval.");
    sheet_note(s, note.at);
    text_release(&note);
}

/* Zero and the margin behind a row; in the narrow figure not behind its words. */
static void ground(const Table *t, double row, bool narrow, Text *out) {
    double top = -row + (narrow ? 0.17 : 0.5), bottom = -row - 0.5;
    text_format(out, "set arrow from first 0, first %.9g to first 0, first %.9g nohead lw 0.8 lc rgb '#000000'\n", top,
                bottom);
    if (isfinite(t->x->margin) && t->x->margin > 0)
        text_format(
            out,
            "set object rectangle from first %.9g, first %.9g to first %.9g, first %.9g behind fs transparent solid "
            "0.1 noborder fc rgb '#000000'\n",
            -t->x->margin, top, t->x->margin, bottom);
}

static void draw_rows(const Table *t, int part, const Sheet *s, Text *out) {
    int written = 0;
    text_format(out, "plot ");
    for (int cell = first_cell(t, part); cell < end_cell(t, part); cell++)
        for (int arm = 0; arm < t->sample.arms; arm++) {
            FigureStyle style = figure_style(t, arm);
            if (arm == t->sample.baseline) continue;
            text_format(out, "%s$s%d_%d using 1:2 with points pt 6 ps %g lw 0.8 lc rgb '%s' notitle, \\\n  ",
                        written++ ? ", \\\n  " : "", cell, arm, 0.4 * s->mark, style.colour);
            text_format(out, "$x%d_%d using 1:2 with points pt 2 ps %g lw 1.2 lc rgb '%s' notitle, \\\n  ", cell, arm,
                        0.5 * s->mark, style.colour);
            text_format(
                out,
                "$m%d_%d using 3:2:($4-$3):(0) with vectors nohead lw 1.2 lc rgb '%s' notitle, \\\n  $m%d_%d using "
                "1:2 with points pt %d ps %g lc rgb '%s' notitle",
                cell, arm, style.colour, cell, arm, style.point, 0.6 * s->mark, style.colour);
        }
    text_format(out, "\n");
}

/* Room for the longest label, within bounds. */
static double labels_of(const Table *t) {
    int longest = 12;
    for (int arm = 0; arm < t->sample.arms; arm++) {
        int characters = ARM_LABEL_SIZE;
        show_bytes(t->x->arm[arm].label, &characters);
        longest = characters > longest && arm != t->sample.baseline ? characters : longest;
    }
    return fmin(16 + longest * 7 * 0.56, LABELS);
}

static void draw(const Table *t, int part, Sheet *s, Text *out) {
    char where[256], cut[SHEET_LINE];
    double least, most, rows = rows_of(t, part), row = s->narrow ? NARROW_ROW : ROW;
    int step = t->sample.cell[first_cell(t, part)].step[last_step(t, first_cell(t, part))];
    s->left = s->narrow ? 10 : labels_of(t), s->right = s->narrow ? 10 : WORDS;
    snprintf(where, sizeof where, "after %d steps", step);
    sheet_title(s, t, where);
    notes(t, part, s);
    sheet_panels(s, 1, 1, rows * row, 0);
    sheet_open(s, out);
    sheet_panel(s, 0, "", "", "", out);
    range_of(t, part, &least, &most);
    text_format(
        out,
        "set border 1\nunset ytics\nunset grid\n%sset format x '%%g'\nset xrange [%.9g:%.9g]\nset yrange [%.9g:0]\n",
        s->narrow ? "" : "set grid x lc rgb '#e6e6e6' lt 1 lw 0.5\n", least, most, -rows);
    for (int cell = first_cell(t, part); cell < end_cell(t, part); cell++)
        for (int place = 0; place + 1 < t->sample.arms; place++)
            ground(t, row_at(t, part, cell, place), s->narrow, out);
    for (int cell = first_cell(t, part); cell < end_cell(t, part); cell++) {
        double top = s->head + s->above + row * (row_at(t, part, cell, 0) - 0.5 - CELL_NAME / 2);
        if (figure_where(where, t->x, cell, NULL)[0])
            sheet_text(s, 4, top, ALIGN_left, 7, true, figure_cut(cut, where, sheet_fit(s->width - 8, 7)), out);
        for (int place = 0; place + 1 < t->sample.arms; place++) row_words(t, part, s, cell, place, row, out);
    }
    axis_words(t, s, out);
    draw_rows(t, part, s, out);
    text_format(out, "set border 3\n");
    sheet_close(s, t, out);
}

static void caption(const Table *t, int part, Text *out) {
    char where[256] = "", margin[40], conf[40];
    if (!together(t)) figure_where(where, t->x, part, NULL);
    text_format(out,
                "%s%s%s: %s minus %s's after the last step, a point per seed, the mean with its paired %s%% t interval",
                t->x->title, where[0] ? ", " : "", where, metric_info[t->metric].heading,
                t->x->arm[t->sample.baseline].label, table_confidence(t, conf));
    if (isfinite(t->x->margin)) text_format(out, "; shaded: within %s", format_real(margin, t->x->margin));
    text_format(out, ".");
}

const FigureRow figure_differences = {"differences", parts, any, named_cell, NULL, data, draw, caption, NULL};
