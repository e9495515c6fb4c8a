/* Figures over the steps, one per cell:
 *   NAME-curves  the curves that the experiment's `panels` name, and the table's numbers beside their ends. Values that
 *                are not finite are left out of the line, a cross stands where a run diverged, and the legend says how
 *                many did
 *   NAME-seeds   a curve per seed, where one leaves the others: of all arms when they are few, else of those in which
 *                one does and of the baseline. The first of the experiment's panels is shown; who leaves is named
 *   NAME-blocks  what the blocks' curves were on average over the steps, a line per arm; when the experiment's `panels`
 *                name none, gradient norm and norm input: write-up 000's "average gradient norm per layer" */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/figures/figure.h"
#include "stats/status.h"

enum { ACROSS = 3, BLOCKS_ACROSS = 2, HEIGHT = 112, BLOCKS_HEIGHT = 120, FEW = 6, PANELS_MAX = 9 };

static PlotScale scale_of(Axis axis) {
    return axis == AXIS_log ? PLOT_log : axis == AXIS_linear ? PLOT_linear : PLOT_auto;
}

/* Four panels stand two by two. */
static int across_of(int panels) {
    return panels == 4 ? 2 : ACROSS;
}

/* One arm's curve: rows at the steps where at least one seed has a finite value. */
typedef struct {
    int rows;
    int *step, *n; /* n: finite seeds */
    double *mean, *least, *most;
} Curve;

/* what: a curve of the whole model. Row i of every seed belongs to the same step. */
static Curve curve_of(const Table *t, int cell, int arm, const CurveInfo *what) {
    Curve out = {0};
    int most = 0;
    for (int seed = 0; seed < t->sample.seeds; seed++) {
        int rows = figure_record(t, cell, arm, seed)->curves.rows;
        most = rows > most ? rows : most;
    }
    size_t room = (size_t)most;
    out.step = mem_alloc(room, sizeof *out.step), out.n = mem_alloc(room, sizeof *out.n);
    out.mean = mem_alloc(room, sizeof *out.mean);
    out.least = mem_alloc(room, sizeof *out.least), out.most = mem_alloc(room, sizeof *out.most);
    for (int row = 0; row < most; row++) {
        double sum = 0, least = (double)INFINITY, largest = -(double)INFINITY;
        int n = 0, step = row;
        for (int seed = 0; seed < t->sample.seeds; seed++) {
            const Curves *c = &figure_record(t, cell, arm, seed)->curves;
            if (row >= c->rows) continue;
            double x = curve_number(c, row, what, 0);
            if (!isfinite(x)) continue;
            step = (int)curve_at(c, row, CURVE_step);
            sum += x, least = fmin(least, x), largest = fmax(largest, x);
            n++;
        }
        if (!n) continue;
        out.step[out.rows] = step, out.n[out.rows] = n;
        out.mean[out.rows] = sum / n, out.least[out.rows] = least, out.most[out.rows++] = largest;
    }
    return out;
}

static void curve_release(Curve *c) {
    free(c->step);
    free(c->n);
    free(c->mean);
    free(c->least);
    free(c->most);
    *c = (Curve){0};
}

void figure_csv(const Table *t, Text *out) {
    if (!figure_curve_cells(t)) return;
    text_format(out, "cell,arm,quantity,step,mean,least,most,seeds,of\n");
    for (int cell = 0; cell < t->sample.cells; cell++)
        for (const Panel *panel = t->x->panel; panel < t->x->panel + t->x->panels; panel++)
            for (int arm = 0; arm < t->sample.arms; arm++) {
                Curve c = curve_of(t, cell, arm, panel->curve);
                for (int i = 0; i < c.rows; i++) {
                    csv_text(out, CELL_WHERE(t->x, cell));
                    text_format(out, ",");
                    csv_text(out, t->x->arm[arm].name);
                    text_format(out, ",%s,%d,", panel->curve->column, c.step[i]);
                    csv_number(out, c.mean[i]);
                    text_format(out, ",");
                    csv_number(out, c.least[i]);
                    text_format(out, ",");
                    csv_number(out, c.most[i]);
                    text_format(out, ",%d,%d\n", c.n[i], t->sample.seeds);
                }
                curve_release(&c);
            }
}

/* ---- curves ---- */

/* The row of the table that says a number of this curve; METRIC_COUNT: none does. */
static Metric metric_of(const Table *t, const CurveInfo *curve) {
    for (const TableRow *row = t->x->row; row < t->x->row + t->x->rows; row++) {
        const char *reads = row->metric == METRIC_valid_loss ? "valid_loss" : metric_info[row->metric].reads;
        if (!strcmp(reads, curve->name)) return row->metric;
    }
    return METRIC_COUNT;
}

Metric figure_curves_metric(const Table *t) {
    Metric m = METRIC_COUNT;
    for (int i = 0; i < t->x->panels && m == METRIC_COUNT; i++) m = metric_of(t, t->x->panel[i].curve);
    return m;
}

static SampleArm table_number(const Table *t, int cell, int arm, Metric m) {
    return sample_arm(&t->sample, cell, table_last(t, cell), arm, m);
}

/* An arm's line and band; returns its last step. */
static int fill_curve(const Table *t, int cell, int arm, const CurveInfo *curve, PlotPanel *panel) {
    Curve c = curve_of(t, cell, arm, curve);
    unsigned band = t->sample.seeds > 1 ? PLOT_BAND : 0;
    int last = c.rows ? c.step[c.rows - 1] : 0;
    PlotSeries *s = plot_series(panel, figure_arm_style(t, arm), arm, band | PLOT_LINE);
    for (int i = 0; i < c.rows; i++) plot_point(s, c.step[i], c.mean[i], c.least[i], c.most[i]);
    curve_release(&c);
    return last;
}

/* Where runs of an arm ended: the step of the first non-finite number, at the last finite value before it. */
static void fill_crosses(const Table *t, int cell, int arm, const CurveInfo *curve, PlotPanel *panel) {
    PlotSeries *s = plot_series(panel, figure_mark_style(t, arm, PLOT_cross), arm, PLOT_POINTS);
    for (int seed = 0; seed < t->sample.seeds; seed++) {
        const RunRecord *r = figure_record(t, cell, arm, seed);
        double last = (double)NAN;
        if (!strcmp(r->status, "ok")) continue;
        for (int row = 0; row < r->curves.rows; row++) {
            double x = curve_number(&r->curves, row, curve, 0);
            if (isfinite(x)) last = x;
        }
        if (isfinite(last)) plot_point(s, r->diverged_step, last, last, last);
    }
}

/* The table's numbers, each in a place of its own right of the last step. */
static void fill_numbers(const Table *t, int cell, Metric m, PlotPanel *panel) {
    for (int i = 0; i < t->sample.arms; i++) {
        int arm = figure_arm(t, i);
        SampleArm a = table_number(t, cell, arm, m);
        if (a.status != ST_OK) continue;
        PlotSeries *s = plot_series(panel, figure_arm_style(t, arm), arm, PLOT_BARS | PLOT_POINTS);
        s->size = 0.5;
        plot_point(s, panel->x.last * (1.03 + 0.17 * (arm + 0.5) / t->sample.arms), a.mean, a.least, a.most);
    }
    panel->x.most = 1.22 * panel->x.last, panel->named_to = 0.8;
}

/* Lines that a loss may be compared with: guessing, the unigram model, the source's entropy rate. */
static void fill_levels(const Table *t, int cell, PlotPanel *panel) {
    const RunRecord *r = sample_run(&t->sample, cell, 0, t->sample.baseline, 0)->record;
    plot_level(panel, log(r->vocab), "ln V", false);
    plot_level(panel, r->unigram, "unigram", panel->y.log);
    plot_level(panel, r->entropy_rate, "entropy rate", true);
}

static void curves_panel(const Table *t, int cell, int i, Plot *p) {
    const CurveInfo *curve = t->x->panel[i].curve;
    Metric m = metric_of(t, curve);
    PlotPanel *panel = plot_panel(p, curve->title, "step", curve->unit);
    int last = 1, points = 0;
    for (int k = 0; k < t->sample.arms; k++) {
        int own = fill_curve(t, cell, figure_arm(t, k), curve, panel);
        last = own > last ? own : last;
        points += panel->series[panel->series_count - 1].points;
        fill_crosses(t, cell, figure_arm(t, k), curve, panel);
    }
    plot_steps(&panel->x, last);
    if (!points) {
        plot_text(&panel->note, "%s: not measured", curve->name);
        panel->y.least = 0, panel->y.most = 1;
        return;
    }
    if (m != METRIC_COUNT) fill_numbers(t, cell, m, panel);
    plot_fit(p, i, t->x->panels, scale_of(t->x->panel[i].axis));
    if (!strcmp(curve->unit, "nats per token")) fill_levels(t, cell, panel);
}

static int diverged_runs(const Table *t, int cell, int arm) {
    return table_number(t, cell, arm, t->metric).diverged;
}

static void note_curves(const Table *t, int cell, Plot *p) {
    int lost = 0, steps = t->sample.cell[cell].steps, seeds = t->sample.seeds, shown = 0;
    LOCAL_TEXT(note);
    for (int arm = 0; arm < t->sample.arms; arm++) lost += diverged_runs(t, cell, arm);
    if (seeds == 1)
        text_format(&note, "A line is one seed.");
    else
        text_format(&note, "A line is the mean of %d seeds, a band goes from the smallest to the largest.", seeds);
    if (lost) text_format(&note, " A cross marks a run that diverged.");
    for (int i = 0; i < t->x->panels; i++) {
        Metric m = metric_of(t, t->x->panel[i].curve);
        if (m == METRIC_COUNT) continue;
        if (!shown++)
            text_format(&note, " ● right of the lines are the table's numbers after %d steps%s",
                        t->sample.cell[cell].step[steps - 1], seeds > 1 ? ", with bars like the bands" : "");
        if (m == METRIC_valid_loss)
            text_format(&note, "; the validation loss is that of the whole validation set, not of the fixed slice");
        else if (strcmp(metric_info[m].help, t->x->panel[i].curve->help) != 0)
            text_format(&note, "; %s is %s", metric_info[m].heading, metric_info[m].help);
    }
    text_format(&note, shown ? "." : "");
    plot_note(p, note.at);
}

static void curves_fill(const Table *t, int cell, Plot *p) {
    char label[96];
    figure_begin(p, t, FIGURE_WHERE(t->x, cell, NULL), across_of(t->x->panels), HEIGHT);
    for (int arm = 0; arm < t->sample.arms; arm++) {
        int lost = diverged_runs(t, cell, arm), most = 40, bytes = show_bytes(t->x->arm[arm].label, &most);
        int n = snprintf(label, sizeof label, "%.*s", bytes, t->x->arm[arm].label);
        if (lost && n < (int)sizeof label)
            snprintf(label + n, sizeof label - (size_t)n, " (%d of %d diverged)", lost, t->sample.seeds);
        plot_entry(p, figure_arm_style(t, arm), label);
    }
    for (int i = 0; i < t->x->panels; i++) curves_panel(t, cell, i, p);
    note_curves(t, cell, p);
}

static void curves_caption(const Table *t, int cell, Text *out) {
    figure_caption_begin(t, FIGURE_WHERE(t->x, cell, NULL), out);
    for (int i = 0; i < t->x->panels; i++) text_format(out, "%s%s", i ? ", " : ": ", t->x->panel[i].curve->title);
    text_format(out, " over the steps.");
}

const FigureRow figure_curves = {"curves", figure_curve_cells, figure_always,  figure_own_cell,
                                 NULL,     curves_fill,        curves_caption, NULL};

/* ---- seeds ---- */

static const SampleRun *last_run(const Table *t, int cell, int arm, int seed) {
    return sample_run(&t->sample, cell, table_last(t, cell), arm, seed);
}

static double median(double *x, int n) {
    qsort(x, (size_t)n, sizeof *x, st_compare_double);
    return n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}

bool figure_leaves(const Table *t, int cell, int arm, int seed) {
    enum { LEAST = 4 };
    int n = t->sample.seeds, values = 0, ended = 0;
    double margin = isfinite(t->x->margin) ? t->x->margin : 0, own = last_run(t, cell, arm, seed)->value[t->metric];
    if (n < LEAST) return false;
    OWNED double *x = mem_alloc((size_t)n, sizeof *x);
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
    return leaves;
}

static int leaving(const Table *t, int cell, int arm) {
    int count = 0;
    for (int seed = 0; seed < t->sample.seeds; seed++) count += figure_leaves(t, cell, arm, seed);
    return count;
}

/* The arms that are shown. */
static int arms_of(const Table *t, int cell, int arm[PANELS_MAX]) {
    int count = 0, left = 0;
    for (int a = 0; a < t->sample.arms; a++) {
        bool own = leaving(t, cell, a) > 0;
        left += own;
        if ((own || a == t->sample.baseline || t->sample.arms <= FEW) && count < PANELS_MAX) arm[count++] = a;
    }
    return left ? count : 0;
}

static bool seeds_any(const Table *t, int cell) {
    int arm[PANELS_MAX];
    return t->x->panels > 0 && arms_of(t, cell, arm) > 0;
}

/* A seed's curve, wide and named where it leaves the others; returns its last step. */
static int fill_seed(const Table *t, int cell, int arm, int seed, PlotPanel *panel) {
    const Curves *c = &figure_record(t, cell, arm, seed)->curves;
    bool leaves = figure_leaves(t, cell, arm, seed);
    PlotSeries *s = plot_series(panel, figure_arm_style(t, arm), arm, PLOT_LINE);
    s->width = leaves ? 1.4 : 0.5;
    for (int row = 0; row < c->rows; row++) {
        double x = curve_number(c, row, t->x->panel[0].curve, 0);
        if (isfinite(x)) plot_point(s, (int)curve_at(c, row, CURVE_step), x, x, x);
    }
    if (!s->points) return 0;
    PlotPoint last = s->at[s->points - 1];
    if (leaves) plot_mark(panel, last.x, last.y, SHOW_TEXT("seed %llu", (unsigned long long)t->x->seed[seed]));
    return (int)last.x;
}

static void seeds_fill(const Table *t, int cell, Plot *p) {
    int arm[PANELS_MAX], arms = arms_of(t, cell, arm), last = 1;
    const Panel *shown = &t->x->panel[0];
    LOCAL_TEXT(note);
    figure_begin(p, t, FIGURE_WHERE(t->x, cell, NULL), across_of(arms), HEIGHT);
    text_format(
        &note,
        "The curve is %s, with a line per seed (%d). A wide line is a seed that leaves the others: at the end it is "
        "farther from their median than the margin and than ten times the median distance, or it diverged.",
        shown->curve->title, t->sample.seeds);
    plot_note(p, note.at);
    for (int i = 0; i < arms; i++) {
        PlotPanel *panel = plot_panel(p, t->x->arm[arm[i]].label, "step", shown->curve->unit);
        for (int seed = 0; seed < t->sample.seeds; seed++) {
            int own = fill_seed(t, cell, arm[i], seed, panel);
            last = own > last ? own : last;
        }
    }
    for (int i = 0; i < arms; i++) plot_steps(&p->panel[i].x, last);
    plot_fit(p, 0, 1, scale_of(shown->axis));
}

static void seeds_caption(const Table *t, int cell, Text *out) {
    figure_caption_begin(t, FIGURE_WHERE(t->x, cell, NULL), out);
    text_format(out, ": %s, a line per seed; those that leave the others are wide and named.",
                t->x->panel[0].curve->title);
}

const FigureRow figure_seeds = {"seeds", figure_curve_cells, seeds_any,     figure_own_cell,
                                NULL,    seeds_fill,         seeds_caption, NULL};

/* ---- blocks ---- */

static int layers_of(const Table *t, int cell, int arm) {
    return figure_record(t, cell, arm, 0)->curves.layers;
}

static int most_layers(const Table *t, int cell) {
    int most = 0;
    for (int arm = 0; arm < t->sample.arms; arm++) {
        int layers = layers_of(t, cell, arm);
        most = layers > most ? layers : most;
    }
    return most;
}

/* Over the seeds that have a finite number: how many, and their mean; NaN: none has. */
typedef struct BlockMean {
    double mean;
    int seeds;
} BlockMean;

static BlockMean mean_over(const Table *t, int cell, int arm, const CurveInfo *what, int layer) {
    BlockMean out = {0};
    for (int seed = 0; seed < t->sample.seeds; seed++) {
        const RunRecord *r = figure_record(t, cell, arm, seed);
        double x = curve_mean(&r->curves, what, layer, (int)r->spec.steps);
        if (!isfinite(x)) continue;
        out.mean += x;
        out.seeds++;
    }
    out.mean = out.seeds ? out.mean / out.seeds : (double)NAN;
    return out;
}

static int most_of_all(const Table *t) {
    int most = 0;
    for (int cell = 0; cell < t->sample.cells; cell++) most = most_layers(t, cell) > most ? most_layers(t, cell) : most;
    return most;
}

/* Every one is looked at several times: they are made together, when the first is asked for. */
static BlockMean block_mean(const Table *t, int cell, int p, int arm, int layer) {
    int layers = most_of_all(t), panels = t->x->block_panels, arms = t->sample.arms;
    BlockMean *all = t->found->block;
    if (!all) {
        all = t->found->block = mem_alloc((size_t)(t->sample.cells * panels * arms * layers), sizeof *all);
        for (int i = 0; i < t->sample.cells * panels * arms; i++)
            for (int l = 0; l < layers_of(t, i / arms / panels, i % arms); l++)
                all[i * layers + l] =
                    mean_over(t, i / arms / panels, i % arms, t->x->block_panel[i / arms % panels].curve, l);
    }
    return all[((cell * panels + p) * arms + arm) * layers + layer];
}

/* What the CSV calls a curve of the blocks: the usual ones by their column, as ever, others as files name them. */
static const char *quantity(const CurveInfo *curve) {
    return probe_info[curve_probe(curve)].usual ? curve->column : curve->name;
}

void figure_blocks_csv(const Table *t, Text *out) {
    if (most_of_all(t) < 1 || !t->x->block_panels || !figure_curve_cells(t)) return;
    text_format(out, "cell,arm,quantity,block,mean,seeds,of\n");
    for (int cell = 0; cell < t->sample.cells; cell++)
        for (int p = 0; p < t->x->block_panels; p++)
            for (int arm = 0; arm < t->sample.arms; arm++)
                for (int l = 0; l < layers_of(t, cell, arm); l++) {
                    BlockMean of = block_mean(t, cell, p, arm, l);
                    csv_text(out, CELL_WHERE(t->x, cell));
                    text_format(out, ",");
                    csv_text(out, t->x->arm[arm].name);
                    text_format(out, ",%s,%d,", quantity(t->x->block_panel[p].curve), l);
                    csv_number(out, of.mean);
                    text_format(out, ",%d,%d\n", of.seeds, t->sample.seeds);
                }
}

/* Whether any line has a point: records of schema 1 know no norm inputs, and a placement may have no norm. */
static bool panel_any(const Table *t, int cell, int p) {
    for (int arm = 0; arm < t->sample.arms; arm++)
        for (int l = 0; l < layers_of(t, cell, arm); l++)
            if (block_mean(t, cell, p, arm, l).mean > 0) return true;
    return false;
}

static bool blocks_any(const Table *t, int cell) {
    bool found = false;
    for (int p = 0; p < t->x->block_panels; p++) found |= panel_any(t, cell, p);
    return found && most_layers(t, cell) > 1;
}

/* Arms drawn later that an eye cannot tell from this one, counted up to 3: it is so much wider, and pale, beneath
 * them. */
static int lines_over(const Table *t, int cell, int p, int arm) {
    int over = 0, layers = layers_of(t, cell, arm);
    for (int other = arm + 1; other < t->sample.arms; other++) {
        bool same = layers_of(t, cell, other) == layers;
        for (int l = 0; l < layers && same; l++) {
            double x = block_mean(t, cell, p, arm, l).mean, y = block_mean(t, cell, p, other, l).mean;
            same = fabs(x - y) < 0.01 * x;
        }
        over += same && over < 3;
    }
    return over;
}

/* Returns whether some line hides another. */
static bool blocks_panel(const Table *t, int cell, int i, Plot *p) {
    const Panel *of = &t->x->block_panel[i];
    int layers = most_layers(t, cell), covered = 0;
    PlotPanel *panel = plot_panel(p, of->curve->title, "block (0 is next to the embeddings)", of->curve->unit);
    panel->x.least = -0.3, panel->x.most = layers - 0.7, panel->x.tick = (layers + 15) / 16;
    for (int arm = 0; arm < t->sample.arms; arm++) {
        int over = lines_over(t, cell, i, arm);
        PlotSeries *s = plot_series(panel, figure_arm_style(t, arm), arm, PLOT_LINE | PLOT_POINTS);
        s->pale = over > 0, s->size = 0.45 + 0.25 * over, s->width = 1.2 + 2.4 * over, covered += over;
        for (int l = 0; l < layers_of(t, cell, arm); l++) {
            double x = block_mean(t, cell, i, arm, l).mean;
            if (!(x > 0)) x = (double)NAN;
            plot_point(s, l, x, x, x);
        }
    }
    plot_fit(p, p->panels - 1, p->panels, scale_of(of->axis));
    return covered > 0;
}

static void blocks_fill(const Table *t, int cell, Plot *p) {
    bool covered = false;
    figure_begin(p, t, FIGURE_WHERE(t->x, cell, NULL), BLOCKS_ACROSS, BLOCKS_HEIGHT);
    figure_legend(p, t);
    for (int i = 0; i < t->x->block_panels; i++)
        if (panel_any(t, cell, i)) covered |= blocks_panel(t, cell, i, p);
    plot_note(p, SHOW_TEXT("Points are means of %d seed%s and of the steps.%s", t->sample.seeds,
                           t->sample.seeds == 1 ? "" : "s",
                           covered ? " A wide, pale line lies within 1% of the lines on it." : ""));
}

static void blocks_caption(const Table *t, int cell, Text *out) {
    figure_caption_begin(t, FIGURE_WHERE(t->x, cell, NULL), out);
    text_format(out, ", per block, 0 being next to the embeddings: ");
    for (int i = 0; i < t->x->block_panels; i++)
        text_format(out, "%s%s", i ? "; " : "", t->x->block_panel[i].curve->title);
    text_format(out, ".");
}

const FigureRow figure_blocks = {"blocks", figure_curve_cells, blocks_any,     figure_own_cell,
                                 NULL,     blocks_fill,        blocks_caption, NULL};
