/* A cell's figure as a gnuplot program, its data inside. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/write/figure.h"

/* Okabe and Ito's colours, told apart by colour-blind readers. Every second arm is dashed, and so is the baseline,
 * black and on top, so that an arm which runs under another is seen; arms beyond the colours repeat them with other
 * dashes. */
static const char *const colours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"};
enum { COLOURS = sizeof colours / sizeof *colours, MOST_COLUMNS = 5, WIDTH = 1080 };

typedef struct {
    const char *colour;
    const char *dash;
} Style;

static Style style_of(const Table *t, int arm) {
    int base = t->sample.baseline, place = arm < base ? arm : arm - 1;
    if (arm == base) return (Style){"#000000", "(6,6)"};
    return (Style){colours[place % COLOURS], place >= COLOURS ? "(2,3)" : place % 2 ? "(9,6)" : "1"};
}

void figure_quoted(Text *out, const char *text) {
    text_format(out, "'");
    for (const char *s = text; *s; s++) text_add(out, *s == '\'' ? "''" : s, *s == '\'' ? 2 : 1);
    text_format(out, "'");
}

typedef struct {
    double least, most;
    int last;
} Range;

static void data_block(const Table *t, int cell, int arm, int panel, Range *range, Text *out) {
    Curve c = figure_curve(t, cell, arm, t->x->panel[panel].curve);
    text_format(out, "$d%d_%d << END\n", panel, arm);
    for (int i = 0; i < c.rows; i++) {
        text_format(out, "%d %.9g %.9g %.9g\n", c.step[i], c.mean[i], c.least[i], c.most[i]);
        range->least = fmin(range->least, c.least[i]), range->most = fmax(range->most, c.most[i]);
        range->last = c.step[i] > range->last ? c.step[i] : range->last;
    }
    if (!c.rows) text_format(out, "0 NaN NaN NaN\n");
    text_format(out, "END\n");
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
    if (!found) text_format(out, "0 NaN\n");
    text_format(out, "END\n");
}

static int diverged_runs(const Table *t, int cell, int arm) {
    int last = t->sample.cell[cell].steps - 1;
    return sample_arm(&t->sample, cell, last, arm, t->metric).diverged;
}

/* Lines that a loss may be compared with: guessing, the unigram model, the source's entropy rate. Their names stand
 * where a falling curve is not: above the line on the right; on a logarithmic axis, where the curves end near them, on
 * the left and the lower ones below their lines. */
static void reference_lines(const Table *t, int cell, Range range, bool log_axis, Text *out) {
    const RunRecord *r = sample_run(&t->sample, cell, 0, t->sample.baseline, 0)->record;
    const struct {
        const char *name;
        double at;
    } lines[] = {{"ln V", log(r->vocab)}, {"unigram", r->unigram}, {"entropy rate", r->entropy_rate}};
    double room = (range.most - range.least) / 12, before = (double)INFINITY;
    for (int i = 0; i < 3; i++) {
        bool left = log_axis, below = i == 2 || (log_axis && i);
        if (!(lines[i].at > range.least * 0.5 && lines[i].at < range.most * 1.05)) continue;
        text_format(
            out,
            "set arrow %d from graph 0, first %.9g to graph 1, first %.9g nohead back lc rgb '#999999' dt 3 lw 1\n",
            i + 1, lines[i].at, lines[i].at);
        if (!log_axis && before - lines[i].at < room) continue; /* no room for its name */
        before = lines[i].at;
        text_format(out, "set label %d '%s' at graph %s, first %.9g %s offset 0,%s tc rgb '#777777'\n", i + 1,
                    lines[i].name, left ? "0.015" : "0.985", lines[i].at, left ? "left" : "right",
                    below ? "-0.45" : "0.45");
    }
}

bool figure_log_axis(Axis axis, double least, double most) {
    return least > 0 && (axis == AXIS_log || (axis == AXIS_auto && most > 10 * least));
}

/* In the place of a panel none of whose runs has a finite number. */
static void panel_note(const CurveInfo *curve, int last, Text *out) {
    text_format(out,
                "set label 1 '%s: not measured' at graph 0.5, graph 0.5 center tc rgb '#777777'\n"
                "set xrange [0:%d]\nset yrange [0:1]\nplot NaN notitle\nset autoscale y\n",
                curve->name, last);
}

static void panel_plot(const Table *t, int cell, int panel, Range range, int last, Text *out) {
    const CurveInfo *curve = t->x->panel[panel].curve;
    bool log_axis = figure_log_axis(t->x->panel[panel].axis, range.least, range.most);
    double width = 0.984 / t->x->panels, left = 0.07 + panel * width, right = left + width - 0.073;
    text_format(out,
                "unset arrow\nunset label\nunset logscale\nset lmargin at screen %.4f\nset rmargin at screen %.4f\n",
                left, right);
    text_format(out, "set title '%s'\nset ylabel '%s%s' offset 0.6,0\n%s", curve->title, curve->unit,
                log_axis ? ", log axis" : "", log_axis ? "set logscale y\n" : "");
    if (!(range.least <= range.most)) {
        panel_note(curve, last, out);
        return;
    }
    if (!strcmp(curve->unit, "nats per token")) reference_lines(t, cell, range, log_axis, out);
    text_format(out, "set xrange [0:%d]\nplot ", last);
    for (int arm = 0; arm < t->sample.arms && t->sample.seeds > 1; arm++)
        text_format(out,
                    "$d%d_%d using 1:3:4 with filledcurves fs transparent solid 0.18 noborder lc rgb '%s' notitle, "
                    "\\\n  ",
                    panel, arm, style_of(t, arm).colour);
    for (int i = 1; i <= t->sample.arms; i++) { /* the baseline last */
        int arm = (t->sample.baseline + i) % t->sample.arms;
        text_format(out, "$d%d_%d using 1:2 with lines lc rgb '%s' dt %s lw 2 notitle, \\\n  ", panel, arm,
                    style_of(t, arm).colour, style_of(t, arm).dash);
    }
    for (int arm = 0; arm < t->sample.arms; arm++)
        text_format(out, "$x%d_%d using 1:2 with points pt 2 ps 1.2 lw 2 lc rgb '%s' notitle%s", panel, arm,
                    style_of(t, arm).colour, arm + 1 < t->sample.arms ? ", \\\n  " : "\n");
}

/* "LayerNorm (1 of 6 diverged)". */
static void legend_label(const Table *t, int cell, int arm, char out[96]) {
    int lost = diverged_runs(t, cell, arm), most = 40, bytes = show_bytes(t->x->arm[arm].label, &most);
    snprintf(out, 96, "%.*s", bytes, t->x->arm[arm].label);
    if (lost) snprintf(out, 96, "%.*s (%d of %d diverged)", bytes, t->x->arm[arm].label, lost, t->sample.seeds);
}

/* Lengths in pixels of the SVG. */
typedef struct {
    int columns, rows; /* of the legend */
    double height, strip;
} Layout;

static Layout layout_of(const Table *t, int cell) {
    size_t longest = 0;
    for (int arm = 0; arm < t->sample.arms; arm++) {
        char label[96];
        legend_label(t, cell, arm, label);
        longest = strlen(label) > longest ? strlen(label) : longest;
    }
    int fit = (int)(WIDTH * 0.96 / (10 * (double)(longest + 8)));
    Layout l = {.columns = fit < 1 ? 1 : fit > MOST_COLUMNS ? MOST_COLUMNS : fit};
    l.rows = (t->sample.arms + l.columns - 1) / l.columns;
    l.strip = 12 + 21 * l.rows;
    l.height = 362 + l.strip;
    return l;
}

/* The legend is a plot of its own in a strip below the panels, so that it never covers data. */
static void legend(const Table *t, int cell, Layout l, Text *out) {
    double strip = l.strip / l.height;
    text_format(out,
                "unset arrow\nunset label\nunset logscale\nunset title\nunset xlabel\nunset ylabel\nunset border\n"
                "unset tics\nset lmargin at screen 0.02\nset rmargin at screen 0.98\nset bmargin at screen 0.002\n"
                "set tmargin at screen %.4f\nset xrange [0:1]\nset yrange [0:1]\n"
                "set key at screen 0.5, screen %.4f center center horizontal maxcols %d Left reverse samplen 2.5 "
                "width 1\nplot ",
                strip, strip / 2, l.columns);
    for (int arm = 0; arm < t->sample.arms; arm++) {
        char label[96];
        legend_label(t, cell, arm, label);
        text_format(out, "NaN with lines lc rgb '%s' dt %s lw 3 title ", style_of(t, arm).colour,
                    style_of(t, arm).dash);
        figure_quoted(out, label);
        text_format(out, arm + 1 < t->sample.arms ? ", \\\n  " : "\n");
    }
}

static void title_text(const Table *t, int cell, Text *out) {
    char where[256];
    int lost = 0;
    for (int arm = 0; arm < t->sample.arms; arm++) lost += diverged_runs(t, cell, arm);
    text_format(out, "%s%s", t->exploratory ? "EXPLORATORY  " : "", t->x->title);
    if (experiment_cell_text(where, t->x, cell)[0]) text_format(out, ", %s", where);
    if (t->synthetic) text_format(out, ", SYNTHETIC SOURCE");
    if (t->sample.seeds == 1)
        text_format(out, "   (one seed");
    else
        text_format(out, "   (line: mean of %d seeds; band: smallest to largest", t->sample.seeds);
    text_format(out, "%s)", lost ? "; cross: a run diverged" : "");
}

static void draw(const Table *t, int cell, const Range *range, Layout l, Text *out) {
    Text title;
    int last = 1;
    text_init(&title);
    title_text(t, cell, &title);
    text_format(out, "set multiplot title ");
    figure_quoted(out, title.at);
    text_format(out,
                "\nset border 3 lc rgb '#444444'\nset tics nomirror out scale 0.6\nset grid y lc rgb '#e6e6e6' lt 1\n"
                "set xlabel 'step' offset 0,0.4\nset tmargin at screen %.4f\nset bmargin at screen %.4f\nunset key\n"
                "set format y '%%g'\nset autoscale y\n",
                1 - 54 / l.height, (l.strip + 46) / l.height);
    for (int panel = 0; panel < t->x->panels; panel++) last = range[panel].last > last ? range[panel].last : last;
    for (int panel = 0; panel < t->x->panels; panel++) panel_plot(t, cell, panel, range[panel], last, out);
    legend(t, cell, l, out);
    text_format(out, "unset multiplot\nset output\n");
    text_release(&title);
}

void figure_terminal(int which, int width, double height, Text *out) {
    if (which == 0)
        text_format(out,
                    "set terminal svg noenhanced size %d,%.0f font 'sans-serif,11' background rgb 'white'\n"
                    "set output 'figure.svg'\n",
                    width, height);
    else if (which == 1)
        text_format(out,
                    "set terminal pdfcairo noenhanced size %.3fin,%.3fin font 'sans,8.5' lw 0.8\n"
                    "set output 'figure.pdf'\n",
                    width / 154.0, height / 154);
    else
        text_format(out,
                    "set terminal pngcairo noenhanced size %d,%.0f font 'sans,15' lw 1.4\n"
                    "set output 'figure.png'\n",
                    width * 3 / 2, height * 1.5);
}

void figure_script(const Table *t, int cell, int terminals, Text *out) {
    Layout layout = layout_of(t, cell);
    Range range[EXPERIMENT_MOST_PANELS];
    text_format(out, "set encoding utf8\n");
    for (int panel = 0; panel < t->x->panels; panel++) {
        range[panel] = (Range){(double)INFINITY, -(double)INFINITY, 0};
        for (int arm = 0; arm < t->sample.arms; arm++) {
            data_block(t, cell, arm, panel, &range[panel], out);
            cross_block(t, cell, arm, panel, out);
        }
    }
    for (int i = 0; i < 3; i++) {
        if (!(terminals >> i & 1)) continue;
        text_format(out, "reset\n");
        figure_terminal(i, WIDTH, layout.height, out);
        draw(t, cell, range, layout, out);
    }
}
