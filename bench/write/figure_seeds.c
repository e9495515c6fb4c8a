/* NAME-seeds: a curve per seed, where one leaves the others: of all arms when they are few, else of those in which one
 * does and of the baseline. The first of the experiment's panels is shown; seeds that leave are named. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/write/figure_sheet.h"

enum { ACROSS = 3, FEW = 6, MOST_PANELS = 9, HEIGHT = 112, HEIGHT_NARROW = 100 };

static const SampleRun *last_run(const Table *t, int cell, int arm, int seed) {
    return sample_run(&t->sample, cell, t->sample.cell[cell].steps - 1, arm, seed);
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *x, int n) {
    qsort(x, (size_t)n, sizeof *x, ascending);
    return n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}

bool figure_leaves(const Table *t, int cell, int arm, int seed) {
    enum { LEAST = 4 };
    int n = t->sample.seeds, values = 0, ended = 0;
    double margin = isfinite(t->x->margin) ? t->x->margin : 0, own = last_run(t, cell, arm, seed)->value[t->metric];
    if (n < LEAST) return false;
    double *x = mem_alloc((size_t)n, sizeof *x);
    for (int i = 0; i < n; i++) {
        const SampleRun *run = last_run(t, cell, arm, i);
        ended += strcmp(run->record->status, "ok") != 0;
        if (isfinite(run->value[t->metric])) x[values++] = run->value[t->metric];
    }
    bool leaves = strcmp(last_run(t, cell, arm, seed)->record->status, "ok") != 0 && 2 * ended < n;
    if (!leaves && isfinite(own) && values >= LEAST) {
        double middle = median(x, values);
        for (int i = 0; i < values; i++) x[i] = fabs(x[i] - middle);
        leaves = fabs(own - middle) > fmax(margin, 10 * median(x, values));
    }
    free(x);
    return leaves;
}

static int leaving(const Table *t, int cell, int arm) {
    int count = 0;
    for (int seed = 0; seed < t->sample.seeds; seed++) count += figure_leaves(t, cell, arm, seed);
    return count;
}

/* The arms that are shown. */
static int arms_of(const Table *t, int cell, int arm[MOST_PANELS]) {
    int count = 0, left = 0;
    for (int a = 0; a < t->sample.arms; a++) {
        bool own = leaving(t, cell, a) > 0;
        left += own;
        if ((own || a == t->sample.baseline || t->sample.arms <= FEW) && count < MOST_PANELS) arm[count++] = a;
    }
    return left ? count : 0;
}

static bool any(const Table *t, int cell) {
    int arm[MOST_PANELS];
    return t->x->panels > 0 && arms_of(t, cell, arm) > 0;
}

static const Curves *curves_of(const Table *t, int cell, int arm, int seed) {
    return &t->records[(cell * t->sample.arms + arm) * t->sample.seeds + seed].curves;
}

static void data(const Table *t, int cell, Text *out) {
    int arm[MOST_PANELS], arms = arms_of(t, cell, arm);
    for (int i = 0; i < arms; i++)
        for (int seed = 0; seed < t->sample.seeds; seed++) {
            const Curves *c = curves_of(t, cell, arm[i], seed);
            int rows = 0;
            text_format(out, "$d%d_%d << END\n", arm[i], seed);
            for (int row = 0; row < c->rows; row++) {
                double x = curve_number(c, row, t->x->panel[0].curve, 0);
                if (isfinite(x)) text_format(out, "%d %.9g\n", (int)curve_at(c, row, CURVE_step), x), rows++;
            }
            text_format(out, rows ? "END\n" : "0 NaN\nEND\n");
        }
}

typedef struct {
    double least, most;
    int last;
} Range;

static Range range_of(const Table *t, int cell) {
    int arm[MOST_PANELS], arms = arms_of(t, cell, arm);
    Range out = {(double)INFINITY, -(double)INFINITY, 1};
    for (int i = 0; i < arms; i++)
        for (int seed = 0; seed < t->sample.seeds; seed++) {
            const Curves *c = curves_of(t, cell, arm[i], seed);
            for (int row = 0; row < c->rows; row++) {
                double x = curve_number(c, row, t->x->panel[0].curve, 0);
                int step = (int)curve_at(c, row, CURVE_step);
                if (!isfinite(x)) continue;
                out.least = fmin(out.least, x), out.most = fmax(out.most, x);
                out.last = step > out.last ? step : out.last;
            }
        }
    return out;
}

/* "seed 5" at the last number of its curve. */
static void seed_name(const Table *t, int cell, int arm, int seed, const Sheet *s, Text *out) {
    const Curves *c = curves_of(t, cell, arm, seed);
    for (int row = c->rows; row-- > 0;) {
        double x = curve_number(c, row, t->x->panel[0].curve, 0);
        if (!isfinite(x)) continue;
        text_format(out, "set label 'seed %llu' at first %d, first %.9g right offset 0,0.6 front font ',%.2f'\n",
                    (unsigned long long)t->x->seed[seed], (int)curve_at(c, row, CURVE_step), x, 7 * s->unit);
        return;
    }
}

static void panel_plot(const Table *t, int cell, int arm, int panel, Range range, const Sheet *s, Text *out) {
    const CurveInfo *curve = t->x->panel[0].curve;
    bool log_axis = figure_log_axis(t->x->panel[0].axis, range.least, range.most);
    char unit[120];
    snprintf(unit, sizeof unit, "%.80s%s", curve->unit, log_axis ? ", log axis" : "");
    sheet_panel(s, panel, t->x->arm[arm].label, unit, "step", out);
    sheet_yrange(range.least, range.most, log_axis, out);
    sheet_steps(range.last, out);
    text_format(out, "set xrange [0:%d]\n", range.last);
    for (int seed = 0; seed < t->sample.seeds; seed++)
        if (figure_leaves(t, cell, arm, seed)) seed_name(t, cell, arm, seed, s, out);
    text_format(out, "plot ");
    for (int seed = 0; seed < t->sample.seeds; seed++) {
        text_format(out, "$d%d_%d using 1:2 with lines", arm, seed);
        sheet_line(t, arm, figure_leaves(t, cell, arm, seed) ? 1.4 : 0.5, out);
        text_format(out, seed + 1 < t->sample.seeds ? " notitle, \\\n  " : " notitle\n");
    }
}

static void draw(const Table *t, int cell, Sheet *s, Text *out) {
    int arm[MOST_PANELS], arms = arms_of(t, cell, arm), lines = 1, across = arms == 4 ? 2 : ACROSS;
    char where[256];
    Range range = range_of(t, cell);
    Text note;
    text_init(&note);
    sheet_title(s, t, figure_where(where, t->x, cell, NULL));
    text_format(&note,
                "%s, a line per seed (%d). Wide: a seed that leaves the others: at the end it is farther from their "
                "median than the margin and than ten times the median distance, or it diverged.",
                t->x->panel[0].curve->title, t->sample.seeds);
    sheet_note(s, note.at);
    text_release(&note);
    for (int i = 0; i < arms; i++) {
        int own = sheet_title_lines(s, arms < across ? arms : across, t->x->arm[arm[i]].label) + 1;
        lines = own > lines ? own : lines;
    }
    sheet_panels(s, arms, across, s->narrow ? HEIGHT_NARROW : HEIGHT, lines);
    sheet_open(s, out);
    for (int i = 0; i < arms; i++) panel_plot(t, cell, arm[i], i, range, s, out);
    sheet_close(s, t, out);
}

static void caption(const Table *t, int cell, Text *out) {
    char where[256];
    figure_where(where, t->x, cell, NULL);
    text_format(out, "%s%s%s: %s, a line per seed; those that leave the others are wide and named.",
                t->x->title, where[0] ? ", " : "", where, t->x->panel[0].curve->title);
}

const FigureRow figure_seeds = {"seeds", figure_curve_cells, any, figure_own_cell, NULL, data, draw, caption, NULL};
