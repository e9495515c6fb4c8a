/* NAME-growth: how the stream grows over depth, where the experiment's `probes` ask for it: its variance at the first,
 * a middle and the last probed step, each arm with a linear, an exponential and a power law fitted to the mean of the
 * seeds, the one that Akaike's criterion prefers drawn thick; its gradient early and late; the headroom below fp16's
 * largest number over the steps. One figure per cell. */
#include <math.h>
#include <stdlib.h>

#include "bench/figures/figure.h"
#include "stats/regress.h"

enum { ACROSS = 2, HEIGHT = 105, FIT_POINTS = 41 };
typedef enum { VAR_START, VAR_MIDDLE, VAR_END, GRAD_EARLY, GRAD_LATE, HEADROOM, PANELS } GrowthPanel;

static const struct {
    ProbeKind probe;
    const char *title, *unit;
} shown[PANELS] = {[VAR_START] = {PROBE_block_output_var, "variance of the stream, first step", "variance"},
                   [VAR_MIDDLE] = {PROBE_block_output_var, "variance of the stream, middle step", "variance"},
                   [VAR_END] = {PROBE_block_output_var, "variance of the stream, last step", "variance"},
                   [GRAD_EARLY] = {PROBE_stream_grad, "gradient of the stream, first tenth", "L2 norm"},
                   [GRAD_LATE] = {PROBE_stream_grad, "gradient of the stream, last tenth", "L2 norm"},
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
        const RunRecord *r = figure_record(t, cell, arm, seed);
        double x = p == HEADROOM ? room_of(r, at) : of_run(r, p, at);
        if (isfinite(x)) sum += x, n++;
    }
    return n ? sum / n : (double)NAN;
}

/* Points of an arm's line: blocks, or measured rows of its longest run. */
static int points_of(const Table *t, int cell, int arm, GrowthPanel p) {
    int most = 0;
    for (int seed = 0; seed < t->sample.seeds; seed++) {
        const RunRecord *r = figure_record(t, cell, arm, seed);
        int points = p == HEADROOM ? rows_of(r, p) : r->curves.layers;
        most = points > most ? points : most;
    }
    return most;
}

static double drawn(GrowthPanel p, double y) {
    return p == HEADROOM || y > 0 ? y : (double)NAN;
}

static bool panel_any(const Table *t, int cell, GrowthPanel p) {
    bool found = false;
    if (!t->x->probes.wanted[shown[p].probe]) return false;
    for (int arm = 0; arm < t->sample.arms; arm++) /* a point alone is no line */
        for (int i = 1; i < points_of(t, cell, arm, p); i++) found |= isfinite(drawn(p, mean_at(t, cell, arm, p, i)));
    return found;
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

static void fill_laws(const Table *t, int cell, int arm, GrowthPanel p, PlotPanel *panel) {
    StGrowth fit;
    StLaw preferred;
    if (!law_of(t, cell, arm, p, &fit, &preferred)) return;
    for (int law = 0; law < LAWS; law++) {
        PlotStyle style = figure_arm_style(t, arm);
        style.dash = laws[law].dash, style.point = 0;
        PlotSeries *s = plot_series(panel, style, arm, PLOT_LINE);
        s->width = law == (int)preferred ? PREFERRED : OTHER;
        for (int i = 0; i < FIT_POINTS; i++) {
            double along = i / (FIT_POINTS - 1.0), x = fit.low + fit.width * along * along; /* steepest at the start */
            double y = st_growth_at(&fit, (StLaw)law, x);
            plot_point(s, x - 1, y, y, y);
        }
    }
}

/* An arm's line or points; returns where it ends. */
static int fill_arm(const Table *t, int cell, int arm, GrowthPanel p, PlotPanel *panel) {
    unsigned draw = p <= VAR_END ? PLOT_POINTS : p == HEADROOM ? PLOT_LINE : PLOT_LINE | PLOT_POINTS;
    int points = points_of(t, cell, arm, p), last = 0;
    PlotSeries *s = plot_series(panel, figure_arm_style(t, arm), arm, draw);
    for (int i = 0; i < points; i++) {
        double y = drawn(p, mean_at(t, cell, arm, p, i));
        int x = p == HEADROOM ? i * stride_of(figure_record(t, cell, arm, 0), p) : i;
        if (isfinite(y)) last = x;
        plot_point(s, x, y, y, y);
    }
    return last;
}

static void fill_panel(const Table *t, int cell, GrowthPanel p, Plot *plot) {
    const char *xlabel = p == HEADROOM ? "steps" : "block (0 is next to the embeddings)";
    PlotPanel *panel = plot_panel(plot, shown[p].title, xlabel, shown[p].unit);
    int last = 0;
    for (int arm = 0; arm < t->sample.arms; arm++) {
        int own = fill_arm(t, cell, arm, p, panel);
        last = own > last ? own : last;
    }
    for (PlotSeries *s = panel->series; s < panel->series + panel->series_count; s++)
        s->width = 1.1, s->size = fmin(0.5, 10.0 / (last + 1));
    if (p == HEADROOM) {
        plot_widen(&panel->y, 0), plot_level(panel, 0, "", false);
        plot_steps(&panel->x, last);
    } else {
        panel->x.least = -0.3, panel->x.most = last + 0.3, panel->x.tick = (last + 16) / 16;
    }
    plot_fit(plot, plot->panels - 1, plot->panels, p == HEADROOM ? PLOT_linear : PLOT_log);
    for (int arm = 0; arm < t->sample.arms && p <= VAR_END; arm++) fill_laws(t, cell, arm, p, panel);
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

static void note_laws(const Table *t, int cell, Plot *p) {
    LOCAL_TEXT(said);
    if (!panel_any(t, cell, VAR_END)) return;
    text_format(&said, "A thick line is the law that AIC prefers. At the last step: ");
    size_t before = said.length;
    say_laws(t, cell, VAR_END, &said);
    text_format(&said, said.length > before ? "." : "none fits.");
    for (int law = 0; law < LAWS; law++) plot_entry(p, (PlotStyle){PLOT_SOFT, laws[law].dash, 0}, laws[law].name);
    plot_note(p, said.at);
}

static void fill(const Table *t, int cell, Plot *plot) {
    figure_begin(plot, t, FIGURE_WHERE(t->x, cell, NULL), ACROSS, HEIGHT);
    figure_legend(plot, t);
    plot_note(plot, SHOW_TEXT("Points are means of %d seed%s.", t->sample.seeds, t->sample.seeds == 1 ? "" : "s"));
    note_laws(t, cell, plot);
    if (panel_any(t, cell, HEADROOM))
        plot_note(plot, "At the dotted line of the headroom a number of the stream is 65,504, fp16's largest.");
    for (GrowthPanel p = 0; p < PANELS; p++)
        if (panel_any(t, cell, p)) fill_panel(t, cell, p, plot);
}

static void caption(const Table *t, int cell, Text *out) {
    figure_caption_begin(t, FIGURE_WHERE(t->x, cell, NULL), out);
    text_format(out, ", growth over depth: the stream's variance with three laws, thick the one AIC prefers, its "
                     "gradient early and late, and the headroom below fp16's largest number, 65,504.");
}

const FigureRow figure_growth = {"growth", figure_curve_cells, any, figure_own_cell, NULL, fill, caption, NULL};
