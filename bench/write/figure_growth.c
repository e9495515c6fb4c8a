/* NAME-growth: how the stream grows over depth, where the experiment's `probes` ask for it: its variance at the first,
 * a middle and the last probed step, each arm with a linear, an exponential and a power law fitted to the mean of the
 * seeds, the one that Akaike's criterion prefers drawn thick; its gradient early and late; the headroom below fp16's
 * largest number over the steps. One figure per cell. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/write/figure_sheet.h"
#include "stats/regress.h"

enum { ACROSS = 2, HEIGHT = 105, HEIGHT_NARROW = 95, FIT_POINTS = 41 };
typedef enum { VAR_START, VAR_MIDDLE, VAR_END, GRAD_EARLY, GRAD_LATE, HEADROOM, PANELS } GrowthPanel;

static const struct {
    ProbeKind probe;
    const char *title, *unit;
} shown[PANELS] = {
    [VAR_START] = {PROBE_block_output_var, "variance of the stream, first step", "variance, log axis"},
    [VAR_MIDDLE] = {PROBE_block_output_var, "variance of the stream, middle step", "variance, log axis"},
    [VAR_END] = {PROBE_block_output_var, "variance of the stream, last step", "variance, log axis"},
    [GRAD_EARLY] = {PROBE_stream_grad, "gradient of the stream, first tenth", "L2 norm, log axis"},
    [GRAD_LATE] = {PROBE_stream_grad, "gradient of the stream, last tenth", "L2 norm, log axis"},
    [HEADROOM] = {PROBE_block_output_most, "headroom below 65,504", "log10 of 65,504 / max |x|"}};

/* A law is told by its dash, an arm by its colour and points. */
enum { LAWS = ST_LAW_POWER + 1 };
static const struct {
    const char *name, *dash;
} laws[LAWS] = {[ST_LAW_LINEAR] = {"linear", "1"},
                [ST_LAW_EXPONENTIAL] = {"exponential", "(8,4)"},
                [ST_LAW_POWER] = {"power", "(1.5,2.5)"}};
#define PREFERRED 1.4 /* widths of lines, in points */
#define OTHER 0.5

static const CurveInfo *curve_of(GrowthPanel p) {
    return curve_named(probe_info[shown[p].probe].name);
}

static const RunRecord *record(const Table *t, int cell, int arm, int seed) {
    return &t->records[(cell * t->sample.arms + arm) * t->sample.seeds + seed];
}

static int stride_of(const RunRecord *r, GrowthPanel p) {
    return curve_stride(&r->curves, curve_of(p));
}

/* How many rows of a run have the panel's probe. */
static int rows_of(const RunRecord *r, GrowthPanel p) {
    int end = (int)r->spec.steps < r->curves.rows ? (int)r->spec.steps : r->curves.rows;
    return end > 0 ? (end - 1) / stride_of(r, p) + 1 : 0;
}

/* The number of a block that a panel shows of one run, averaged over its rows. */
static double of_run(const RunRecord *r, GrowthPanel p, int layer) {
    int rows = rows_of(r, p), tenth = rows < 10 ? rows > 0 : rows / 10, n = 0;
    int first = p == VAR_MIDDLE ? (rows - 1) / 2 : p == VAR_END ? rows - 1 : p == GRAD_LATE ? rows - tenth : 0;
    int count = p == GRAD_EARLY || p == GRAD_LATE ? tenth : 1;
    double sum = 0;
    for (int i = first; i < first + count; i++) {
        double x = curve_number(&r->curves, i * stride_of(r, p), curve_of(p), layer);
        if (isfinite(x)) sum += x, n++;
    }
    return n ? sum / n : (double)NAN;
}

/* The headroom of one run at a measured row. */
static double room_of(const RunRecord *r, int row) {
    double most = 0;
    for (int l = 0; l < r->curves.layers; l++)
        most = fmax(most, curve_number(&r->curves, row * stride_of(r, HEADROOM), curve_of(HEADROOM), l));
    return most > 0 && isfinite(most) ? log10(65504 / most) : (double)NAN;
}

/* The mean over seeds that have a number, of a block or of a measured row; NaN: none has. */
static double mean_at(const Table *t, int cell, int arm, GrowthPanel p, int at) {
    double sum = 0;
    int n = 0;
    for (int seed = 0; seed < t->sample.seeds; seed++) {
        const RunRecord *r = record(t, cell, arm, seed);
        double x = p == HEADROOM ? room_of(r, at) : of_run(r, p, at);
        if (isfinite(x)) sum += x, n++;
    }
    return n ? sum / n : (double)NAN;
}

/* Points of an arm's line: blocks, or measured rows of its longest run. */
static int points_of(const Table *t, int cell, int arm, GrowthPanel p) {
    int most = 0;
    for (int seed = 0; seed < t->sample.seeds; seed++) {
        const RunRecord *r = record(t, cell, arm, seed);
        int points = p == HEADROOM ? rows_of(r, p) : r->curves.layers;
        most = points > most ? points : most;
    }
    return most;
}

static bool drawn(GrowthPanel p, double y) {
    return p == HEADROOM ? isfinite(y) : y > 0;
}

/* The axes' ends; false: nothing is drawn. */
static bool range_of(const Table *t, int cell, GrowthPanel p, double *least, double *most, int *last) {
    *least = (double)INFINITY, *most = -(double)INFINITY, *last = 0;
    for (int arm = 0; arm < t->sample.arms; arm++)
        for (int i = 0; i < points_of(t, cell, arm, p); i++) {
            double y = mean_at(t, cell, arm, p, i);
            int x = p == HEADROOM ? i * stride_of(record(t, cell, arm, 0), p) : i;
            if (!drawn(p, y)) continue;
            *least = fmin(*least, y), *most = fmax(*most, y), *last = x > *last ? x : *last;
        }
    return *last > 0;
}

static bool panel_any(const Table *t, int cell, GrowthPanel p) {
    double least, most;
    int last;
    return t->x->probes.wanted[shown[p].probe] && range_of(t, cell, p, &least, &most, &last);
}

static bool any(const Table *t, int cell) {
    return panel_any(t, cell, VAR_END) || panel_any(t, cell, GRAD_LATE);
}

/* The law that AIC prefers for an arm's variances; false: none fits. Blocks count from 1, for the power law. */
static bool law_of(const Table *t, int cell, int arm, GrowthPanel p, StGrowth *fit, StLaw *law) {
    int n = points_of(t, cell, arm, p);
    double *x = mem_alloc((size_t)n + 1, 2 * sizeof *x), *y = x + n;
    for (int l = 0; l < n; l++) x[l] = l + 1, y[l] = mean_at(t, cell, arm, p, l);
    *fit = st_growth(x, y, (size_t)n);
    free(x);
    *law = ST_LAW_LINEAR;
    if (fit->status != ST_OK) return false;
    double aic = fit->aic_lin;
    if (fit->aic_exp < aic) aic = fit->aic_exp, *law = ST_LAW_EXPONENTIAL;
    if (fit->aic_pow < aic) *law = ST_LAW_POWER;
    return true;
}

/* $fL_A: law L of arm A in panel p, L counted over the panels. */
static void fit_data(const Table *t, int cell, int arm, GrowthPanel p, Text *out) {
    StGrowth fit;
    StLaw preferred;
    bool fits = law_of(t, cell, arm, p, &fit, &preferred);
    for (int law = 0; law < LAWS; law++) {
        text_format(out, "$f%d_%d << END\n", (int)p * LAWS + law, arm);
        for (int i = 0; i < FIT_POINTS && fits; i++) {
            double along = i / (FIT_POINTS - 1.0), x = fit.low + fit.width * along * along; /* steepest at the start */
            text_format(out, "%.6g %.9g\n", x - 1, st_growth_at(&fit, (StLaw)law, x));
        }
        text_format(out, "%sEND\n", fits ? "" : "NaN NaN\n");
    }
}

static void data(const Table *t, int cell, Text *out) {
    for (GrowthPanel p = 0; p < PANELS; p++)
        for (int arm = 0; panel_any(t, cell, p) && arm < t->sample.arms; arm++) {
            text_format(out, "$g%d_%d << END\n", (int)p, arm);
            for (int i = 0; i < points_of(t, cell, arm, p); i++) {
                double y = mean_at(t, cell, arm, p, i);
                int x = p == HEADROOM ? i * stride_of(record(t, cell, arm, 0), p) : i;
                if (drawn(p, y))
                    text_format(out, "%d %.9g\n", x, y);
                else
                    text_format(out, "%d NaN\n", x);
            }
            text_format(out, "END\n");
            if (p <= VAR_END) fit_data(t, cell, arm, p, out);
        }
}

/* The laws of an arm in a panel. */
static void laws_plot(const Table *t, int cell, int arm, GrowthPanel p, Text *out) {
    StGrowth fit;
    StLaw preferred;
    bool fits = law_of(t, cell, arm, p, &fit, &preferred);
    for (int law = 0; law < LAWS && fits; law++)
        text_format(out, ", \\\n  $f%d_%d using 1:2 with lines lc rgb '%s' dt %s lw %g notitle",
                    (int)p * LAWS + law, arm, figure_style(t, arm).colour, laws[law].dash,
                    law == (int)preferred ? PREFERRED : OTHER);
}

static void panel_plot(const Table *t, int cell, GrowthPanel p, int place, const Sheet *s, Text *out) {
    double least, most;
    int last;
    range_of(t, cell, p, &least, &most, &last);
    if (p == HEADROOM) least = fmin(least, 0), most = fmax(most, 0);
    sheet_panel(s, place, shown[p].title, shown[p].unit,
                p == HEADROOM ? "steps" : "block (0 is next to the embeddings)", out);
    sheet_yrange(least, most, p != HEADROOM, out);
    if (p == HEADROOM) {
        text_format(out, "set xrange [0:%d]\n", last);
        sheet_steps(last, out);
        text_format(out, "plot 0 with lines lc rgb '" FIGURE_SOFT "' dt 3 lw 0.8 notitle");
    } else {
        text_format(out, "set xrange [-0.3:%d.3]\nset xtics %d\nplot NaN notitle", last, (last + 16) / 16);
    }
    for (int arm = 0; arm < t->sample.arms; arm++) {
        FigureStyle style = figure_style(t, arm);
        if (p <= VAR_END) laws_plot(t, cell, arm, p, out);
        const char *with = p <= VAR_END ? "points" : p == HEADROOM ? "lines" : "linespoints";
        text_format(out, ", \\\n  $g%d_%d using 1:2 with %s", (int)p, arm, with);
        if (p != HEADROOM) text_format(out, " pt %d ps %g", style.point, fmin(0.5, 10.0 / (last + 1)) * s->mark);
        sheet_line(t, arm, 1.1, out);
        text_format(out, " notitle");
    }
    text_format(out, "\n");
}

/* "pre exponential, peri linear" at a panel's step. */
static void say_laws(const Table *t, int cell, GrowthPanel p, Text *out) {
    for (int arm = 0, n = 0; arm < t->sample.arms; arm++) {
        StGrowth fit;
        StLaw law;
        if (!law_of(t, cell, arm, p, &fit, &law)) continue;
        text_format(out, "%s%s %s", n++ ? ", " : "", t->x->arm[arm].name, laws[law].name);
    }
}

static void note_laws(const Table *t, int cell, Sheet *s) {
    Text said;
    char note[SHEET_LINE];
    if (!panel_any(t, cell, VAR_END)) return;
    text_init(&said);
    say_laws(t, cell, VAR_END, &said);
    for (int law = 0; law < LAWS; law++) sheet_legend_law(s, laws[law].dash, laws[law].name);
    snprintf(note, sizeof note, "Thick: the law that AIC prefers. Last step: %.130s.",
             said.length ? said.at : "none fits");
    sheet_note(s, note);
    text_release(&said);
}

static void draw(const Table *t, int cell, Sheet *s, Text *out) {
    char where[256], note[80];
    int lines = 1, panels = 0;
    sheet_title(s, t, figure_where(where, t->x, cell, NULL));
    for (int arm = 0; arm < t->sample.arms; arm++) sheet_legend(s, arm, t->x->arm[arm].label);
    snprintf(note, sizeof note, "Mean of %d seed%s.", t->sample.seeds, t->sample.seeds == 1 ? "" : "s");
    sheet_note(s, note);
    note_laws(t, cell, s);
    if (panel_any(t, cell, HEADROOM))
        sheet_note(s, "Headroom: at the dotted line a number of the stream is 65,504, fp16's largest.");
    for (GrowthPanel p = 0; p < PANELS; p++) panels += panel_any(t, cell, p);
    for (GrowthPanel p = 0; p < PANELS; p++) {
        int own = sheet_title_lines(s, panels < ACROSS ? panels : ACROSS, shown[p].title) + 1;
        lines = own > lines ? own : lines;
    }
    sheet_panels(s, panels, ACROSS, s->narrow ? HEIGHT_NARROW : HEIGHT, lines);
    sheet_open(s, out);
    int place = 0;
    for (GrowthPanel p = 0; p < PANELS; p++)
        if (panel_any(t, cell, p)) panel_plot(t, cell, p, place++, s, out);
    sheet_close(s, t, out);
}

static void caption(const Table *t, int cell, Text *out) {
    char where[256];
    figure_where(where, t->x, cell, NULL);
    text_format(out, "%s%s%s, growth over depth: the stream's variance with three laws, thick the one AIC prefers",
                t->x->title, where[0] ? ", " : "", where);
    text_format(out, ", its gradient early and late, and the headroom below fp16's largest number, 65,504.");
}

const FigureRow figure_growth = {"growth", figure_curve_cells, any, figure_own_cell, NULL, data, draw, caption, NULL};
