/* NAME-blocks: what the blocks' curves that the experiment's `panels` name were on average over the steps, a line per
 * arm; when it names none, gradient norm and norm input: write-up 000's "average gradient norm per layer". One figure
 * per cell. */
#include <math.h>
#include <stdio.h>

#include "bench/write/figure_sheet.h"

enum { ACROSS = 2, HEIGHT = 120, HEIGHT_NARROW = 105 };

static int layers_of(const Table *t, int cell, int arm) {
    return t->records[(cell * t->sample.arms + arm) * t->sample.seeds].curves.layers;
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
        const RunRecord *r = &t->records[(cell * t->sample.arms + arm) * t->sample.seeds + seed];
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
                    char where[256];
                    BlockMean of = block_mean(t, cell, p, arm, l);
                    csv_text(out, experiment_cell_text(where, t->x, cell));
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

static bool any(const Table *t, int cell) {
    bool found = false;
    for (int p = 0; p < t->x->block_panels; p++) found |= panel_any(t, cell, p);
    return found && most_layers(t, cell) > 1;
}

static void data(const Table *t, int cell, Text *out) {
    for (int p = 0; p < t->x->block_panels; p++)
        for (int arm = 0; arm < t->sample.arms; arm++) {
            text_format(out, "$d%d_%d << END\n", p, arm);
            for (int l = 0; l < layers_of(t, cell, arm); l++) {
                double x = block_mean(t, cell, p, arm, l).mean;
                if (x > 0)
                    text_format(out, "%d %.9g\n", l, x);
                else
                    text_format(out, "%d NaN\n", l);
            }
            text_format(out, "END\n");
        }
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

static bool any_over(const Table *t, int cell) {
    bool found = false;
    for (int p = 0; p < t->x->block_panels; p++)
        for (int arm = 0; panel_any(t, cell, p) && arm < t->sample.arms; arm++)
            found |= lines_over(t, cell, p, arm) > 0;
    return found;
}

/* Of the values that are drawn. */
static void panel_range(const Table *t, int cell, int p, double *least, double *most) {
    *least = (double)INFINITY, *most = 0;
    for (int arm = 0; arm < t->sample.arms; arm++)
        for (int l = 0; l < layers_of(t, cell, arm); l++) {
            double x = block_mean(t, cell, p, arm, l).mean;
            if (x > 0) *least = fmin(*least, x), *most = fmax(*most, x);
        }
}

static void panel_plot(const Table *t, int cell, int p, int place, const Sheet *s, Text *out) {
    const Panel *panel = &t->x->block_panel[p];
    int layers = most_layers(t, cell), arms = t->sample.arms;
    double least, most;
    char unit[120];
    panel_range(t, cell, p, &least, &most);
    bool log_axis = figure_log_axis(panel->axis, least, most);
    snprintf(unit, sizeof unit, "%.80s%s", panel->curve->unit, log_axis ? ", log axis" : "");
    sheet_panel(s, place, panel->curve->title, unit, "block (0 is next to the embeddings)", out);
    sheet_yrange(least, most, log_axis, out);
    text_format(out, "set xrange [-0.3:%d.3]\nset xtics %d\nplot ", layers - 1, (layers + 15) / 16);
    for (int arm = 0; arm < arms; arm++) {
        FigureStyle style = figure_style(t, arm);
        int over = lines_over(t, cell, p, arm);
        text_format(out, "$d%d_%d using 1:2 with linespoints pt %d ps %g lc rgb '#%s%s' dt %s lw %g notitle%s", p, arm,
                    style.point, (0.45 + 0.25 * over) * s->mark, over ? "a0" : "", style.colour + 1, style.dash,
                    1.2 + 2.4 * over, arm + 1 < arms ? ", \\\n  " : "\n");
    }
}

static void draw(const Table *t, int cell, Sheet *s, Text *out) {
    char where[256], note[160];
    int lines = 1, panels = 0;
    sheet_title(s, t, figure_where(where, t->x, cell, NULL));
    for (int arm = 0; arm < t->sample.arms; arm++) sheet_legend(s, arm, t->x->arm[arm].label);
    snprintf(note, sizeof note, "%s %d seed%s and of the steps.%s", "Mean of",
             t->sample.seeds, t->sample.seeds == 1 ? "" : "s",
             any_over(t, cell) ? " Wide and pale: within 1% of the lines on it." : "");
    sheet_note(s, note);
    for (int p = 0; p < t->x->block_panels; p++) panels += panel_any(t, cell, p);
    for (int p = 0; p < t->x->block_panels; p++) {
        int own = sheet_title_lines(s, panels < ACROSS ? panels : ACROSS, t->x->block_panel[p].curve->title) + 1;
        lines = own > lines ? own : lines;
    }
    sheet_panels(s, panels, ACROSS, s->narrow ? HEIGHT_NARROW : HEIGHT, lines);
    sheet_open(s, out);
    for (int p = 0, place = 0; p < t->x->block_panels; p++)
        if (panel_any(t, cell, p)) panel_plot(t, cell, p, place++, s, out);
    sheet_close(s, t, out);
}

static void caption(const Table *t, int cell, Text *out) {
    char where[256];
    figure_where(where, t->x, cell, NULL);
    text_format(out, "%s%s%s, per block, 0 being next to the embeddings: ", t->x->title, where[0] ? ", " : "", where);
    for (int p = 0; p < t->x->block_panels; p++)
        text_format(out, "%s%s", p ? "; " : "", t->x->block_panel[p].curve->title);
    text_format(out, ".");
}

const FigureRow figure_blocks = {"blocks", figure_curve_cells, any, figure_own_cell, NULL, data, draw, caption, NULL};
