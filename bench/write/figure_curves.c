/* NAME-curves: the curves of a cell over the steps, and the table's numbers beside their ends. Values that are not
 * finite are left out of the line, a cross stands where a run diverged, and the legend says how many did. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/write/figure_sheet.h"

enum { ACROSS = 3, HEIGHT = 112, HEIGHT_NARROW = 100 };

typedef struct {
    double least, most;
    int last;
} Range;

static bool always(const Table *t, int part) {
    (void)t, (void)part;
    return true;
}

/* The row of the table that says a number of this curve; METRIC_COUNT: none does. */
static Metric metric_of(const Table *t, const CurveInfo *curve) {
    for (const TableRow *row = t->x->row; row < t->x->row + t->x->rows; row++) {
        const char *reads = row->metric == METRIC_valid_loss ? "valid_loss" : metric_info[row->metric].reads;
        if (!strcmp(reads, curve->name)) return row->metric;
    }
    return METRIC_COUNT;
}

static SampleArm table_number(const Table *t, int cell, int arm, Metric m) {
    return sample_arm(&t->sample, cell, t->sample.cell[cell].steps - 1, arm, m);
}

static Range range_of(const Table *t, int cell, int panel) {
    const CurveInfo *curve = t->x->panel[panel].curve;
    Metric m = metric_of(t, curve);
    Range out = {(double)INFINITY, -(double)INFINITY, 1};
    for (int arm = 0; arm < t->sample.arms; arm++) {
        Curve c = figure_curve(t, cell, arm, curve);
        for (int i = 0; i < c.rows; i++) {
            out.least = fmin(out.least, c.least[i]), out.most = fmax(out.most, c.most[i]);
            out.last = c.step[i] > out.last ? c.step[i] : out.last;
        }
        curve_release(&c);
        if (m == METRIC_COUNT || !(out.least <= out.most)) continue;
        SampleArm a = table_number(t, cell, arm, m);
        if (a.status == ST_OK) out.least = fmin(out.least, a.least), out.most = fmax(out.most, a.most);
    }
    return out;
}

static void curve_block(const Table *t, int cell, int arm, int panel, Text *out) {
    Curve c = figure_curve(t, cell, arm, t->x->panel[panel].curve);
    text_format(out, "$d%d_%d << END\n", panel, arm);
    for (int i = 0; i < c.rows; i++)
        text_format(out, "%d %.9g %.9g %.9g\n", c.step[i], c.mean[i], c.least[i], c.most[i]);
    text_format(out, c.rows ? "END\n" : "0 NaN NaN NaN\nEND\n");
    curve_release(&c);
}

/* Where runs of an arm ended: the step of the first non-finite number, at the last finite value before it. */
static void cross_block(const Table *t, int cell, int arm, int panel, Text *out) {
    int found = 0;
    text_format(out, "$x%d_%d << END\n", panel, arm);
    for (int seed = 0; seed < t->sample.seeds; seed++) {
        const RunRecord *r = &t->records[(cell * t->sample.arms + arm) * t->sample.seeds + seed];
        double last = (double)NAN;
        if (!strcmp(r->status, "ok")) continue;
        for (int row = 0; row < r->curves.rows; row++) {
            double x = curve_number(&r->curves, row, t->x->panel[panel].curve, 0);
            if (isfinite(x)) last = x;
        }
        if (isfinite(last)) text_format(out, "%d %.9g\n", r->diverged_step, last), found++;
    }
    text_format(out, found ? "END\n" : "0 NaN\nEND\n");
}

/* The table's numbers, each in a place of its own right of the last step. */
static void number_block(const Table *t, int cell, int panel, Text *out) {
    Metric m = metric_of(t, t->x->panel[panel].curve);
    int last = range_of(t, cell, panel).last;
    for (int arm = 0; arm < t->sample.arms && m != METRIC_COUNT; arm++) {
        SampleArm a = table_number(t, cell, arm, m);
        double x = last * (1.03 + 0.17 * (arm + 0.5) / t->sample.arms);
        text_format(out, "$t%d_%d << END\n", panel, arm);
        if (a.status == ST_OK)
            text_format(out, "%.9g %.9g %.9g %.9g\nEND\n", x, a.mean, a.least, a.most);
        else
            text_format(out, "%.9g NaN NaN NaN\nEND\n", x);
    }
}

static void data(const Table *t, int cell, Text *out) {
    for (int panel = 0; panel < t->x->panels; panel++) {
        for (int arm = 0; arm < t->sample.arms; arm++) {
            curve_block(t, cell, arm, panel, out);
            cross_block(t, cell, arm, panel, out);
        }
        number_block(t, cell, panel, out);
    }
}

static int diverged_runs(const Table *t, int cell, int arm) {
    return table_number(t, cell, arm, t->metric).diverged;
}

/* Lines that a loss may be compared with: guessing, the unigram model, the source's entropy rate. Their names stand
 * where a falling curve is not: above the line on the right, left of the table's numbers; on a logarithmic axis, where
 * the curves end near them, on the left and the lower ones below their lines. */
static void reference_lines(const Table *t, int cell, const Sheet *s, Range range, bool log_axis, bool numbers,
                            Text *out) {
    const RunRecord *r = sample_run(&t->sample, cell, 0, t->sample.baseline, 0)->record;
    const struct {
        const char *name;
        double at;
    } lines[] = {{"ln V", log(r->vocab)}, {"unigram", r->unigram}, {"entropy rate", r->entropy_rate}};
    double before = (double)INFINITY;
    sheet_bounds(&range.least, &range.most, log_axis);
    for (int i = 0; i < 3; i++) {
        bool below = i == 2 || (log_axis && i);
        const char *at_x = log_axis ? "0.02" : numbers ? "0.8" : "0.98";
        if (!(lines[i].at > range.least && lines[i].at < range.most)) continue; /* also when there is none */
        text_format(out,
                    "set arrow from graph 0, first %.9g to graph 1, first %.9g nohead back lc rgb '" FIGURE_SOFT
                    "' dt (1,3) lw 0.6\n",
                    lines[i].at, lines[i].at);
        double at =
            log_axis ? log(lines[i].at) / log(range.most / range.least) : lines[i].at / (range.most - range.least);
        if (before - at < 0.1) continue; /* no room for its name */
        before = at;
        text_format(out,
                    "set label '%s' at graph %s, first %.9g %s offset 0,%s font ',%.2f' tc rgb '" FIGURE_SOFT "'\n",
                    lines[i].name, at_x, lines[i].at, log_axis ? "left" : "right",
                    below ? "-0.5" : "0.5", 7 * s->unit);
    }
}

bool figure_log_axis(Axis axis, double least, double most) {
    return least > 0 && (axis == AXIS_log || (axis == AXIS_auto && most > 10 * least));
}

/* In the place of a panel none of whose runs has a finite number. */
static void panel_note(const CurveInfo *curve, int last, Text *out) {
    text_format(out,
                "set label '%s: not measured' at graph 0.5, graph 0.5 center tc rgb '" FIGURE_SOFT "'\n"
                "set xrange [0:%d]\nset yrange [0:1]\nplot NaN lc rgb '#000000' notitle\n",
                curve->name, last);
}

static void panel_plot(const Table *t, int cell, int panel, const Sheet *s, Text *out) {
    const CurveInfo *curve = t->x->panel[panel].curve;
    Range range = range_of(t, cell, panel);
    Metric m = metric_of(t, curve);
    int arms = t->sample.arms;
    bool log_axis = figure_log_axis(t->x->panel[panel].axis, range.least, range.most);
    char unit[120];
    snprintf(unit, sizeof unit, "%.80s%s", curve->unit, log_axis ? ", log axis" : "");
    sheet_panel(s, panel, curve->title, unit, "step", out);
    if (!(range.least <= range.most)) {
        panel_note(curve, range.last, out);
        return;
    }
    sheet_yrange(range.least, range.most, log_axis, out);
    sheet_steps(range.last, out);
    if (!strcmp(curve->unit, "nats per token")) reference_lines(t, cell, s, range, log_axis, m != METRIC_COUNT, out);
    text_format(out, "set xrange [0:%.9g]\nplot ", range.last * (m != METRIC_COUNT ? 1.22 : 1));
    for (int arm = 0; arm < arms && t->sample.seeds > 1; arm++)
        text_format(out,
                    "$d%d_%d using 1:3:4 with filledcurves fs transparent solid 0.18 noborder lc rgb '%s' notitle, "
                    "\\\n  ",
                    panel, arm, figure_style(t, arm).colour);
    for (int i = 1; i <= arms; i++) { /* the baseline last */
        int arm = (t->sample.baseline + i) % arms;
        text_format(out, "$d%d_%d using 1:2 with lines", panel, arm);
        sheet_line(t, arm, 1.2, out);
        text_format(out, " notitle, \\\n  $x%d_%d using 1:2 with points pt 2 ps %g lw 1.2 lc rgb '%s' notitle", panel,
                    arm, 0.7 * s->mark, figure_style(t, arm).colour);
        if (m != METRIC_COUNT)
            text_format(out,
                        ", \\\n  $t%d_%d using 1:3:(0):($4-$3) with vectors nohead lw 1 lc rgb '%s' notitle, \\\n  "
                        "$t%d_%d using 1:2 with points pt %d ps %g lc rgb '%s' notitle",
                        panel, arm, figure_style(t, arm).colour, panel, arm, figure_style(t, arm).point, 0.5 * s->mark,
                        figure_style(t, arm).colour);
        text_format(out, i < arms ? ", \\\n  " : "\n");
    }
}

static void legend_label(const Table *t, int cell, int arm, char out[96]) {
    int lost = diverged_runs(t, cell, arm), most = 40, bytes = show_bytes(t->x->arm[arm].label, &most);
    if (lost)
        snprintf(out, 96, "%.*s (%d of %d diverged)", bytes, t->x->arm[arm].label, lost, t->sample.seeds);
    else
        snprintf(out, 96, "%.*s", bytes, t->x->arm[arm].label);
}

static void notes(const Table *t, int cell, Sheet *s) {
    int lost = 0, steps = t->sample.cell[cell].steps, seeds = t->sample.seeds, shown = 0;
    Text note;
    text_init(&note);
    for (int arm = 0; arm < t->sample.arms; arm++) lost += diverged_runs(t, cell, arm);
    if (seeds == 1)
        text_format(&note, "Line: one seed.");
    else
        text_format(&note, "Line: mean of %d seeds; band: smallest to largest.", seeds);
    if (lost) text_format(&note, " Cross: a run diverged.");
    for (int p = 0; p < t->x->panels; p++) {
        Metric m = metric_of(t, t->x->panel[p].curve);
        if (m == METRIC_COUNT) continue;
        if (!shown++)
            text_format(&note, " ● Right of the lines: the table's numbers after %d steps%s",
                        t->sample.cell[cell].step[steps - 1], seeds > 1 ? ", bars as the bands" : "");
        if (m == METRIC_valid_loss)
            text_format(&note, "; validation loss: of the whole validation set, not of the fixed slice");
        else if (strcmp(metric_info[m].help, t->x->panel[p].curve->help) != 0)
            text_format(&note, "; %s: %s", metric_info[m].heading, metric_info[m].help);
    }
    text_format(&note, shown ? "." : "");
    sheet_note(s, note.at);
    text_release(&note);
}

static void draw(const Table *t, int cell, Sheet *s, Text *out) {
    char where[256], label[96];
    int lines = 1;
    sheet_title(s, t, figure_where(where, t->x, cell, NULL));
    for (int arm = 0; arm < t->sample.arms; arm++) {
        legend_label(t, cell, arm, label);
        sheet_legend(s, arm, label);
    }
    notes(t, cell, s);
    int across = t->x->panels < ACROSS ? t->x->panels : t->x->panels == 4 ? 2 : ACROSS;
    for (int p = 0; p < t->x->panels; p++) {
        int own = sheet_title_lines(s, across, t->x->panel[p].curve->title) + 1;
        lines = own > lines ? own : lines;
    }
    sheet_panels(s, t->x->panels, across, s->narrow ? HEIGHT_NARROW : HEIGHT, lines);
    sheet_open(s, out);
    for (int p = 0; p < t->x->panels; p++) panel_plot(t, cell, p, s, out);
    sheet_close(s, t, out);
}

static void caption(const Table *t, int cell, Text *out) {
    char where[256];
    figure_where(where, t->x, cell, NULL);
    text_format(out, "%s%s%s: ", t->x->title, where[0] ? ", " : "", where);
    for (int p = 0; p < t->x->panels; p++) text_format(out, "%s%s", p ? ", " : "", t->x->panel[p].curve->title);
    text_format(out, " over the steps.");
}

const FigureRow figure_curves = {"curves", figure_curve_cells, always,  figure_own_cell, NULL,
                                 data,     draw,               caption, NULL};
