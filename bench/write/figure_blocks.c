/* NAME-blocks: what the blocks' curves that the experiment's `panels` name were on average over the steps, a line per
 * cell and arm; when it names none, gradient norm and norm input: write-up 000's "average gradient norm per layer". */
#include <math.h>
#include <stdio.h>

#include "bench/write/figure.h"

static const char *const colours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                      "#E69F00", "#56B4E9", "#000000", "#999999"};
static const char *const dashes[] = {"1", "(9,6)", "(2,3)", "(12,4,2,4)"};
enum { COLOURS = sizeof colours / sizeof *colours, DASHES = sizeof dashes / sizeof *dashes, WIDTH = 1080,
       MOST_LINES = COLOURS * DASHES /* each looks like no other */ };

/* Mean over the seeds that have a finite number; NaN: none has. *n: how many. */
static double block_mean(const Table *t, int cell, int arm, const CurveInfo *what, int layer, int *n) {
    double sum = 0;
    *n = 0;
    for (int seed = 0; seed < t->sample.seeds; seed++) {
        const RunRecord *r = &t->records[(cell * t->sample.arms + arm) * t->sample.seeds + seed];
        double x = curve_mean(&r->curves, what, layer, (int)r->spec.steps);
        if (!isfinite(x)) continue;
        sum += x;
        ++*n;
    }
    return *n ? sum / *n : (double)NAN;
}

static int layers_of(const Table *t, int cell, int arm) {
    return t->records[(cell * t->sample.arms + arm) * t->sample.seeds].curves.layers;
}

static int most_layers(const Table *t) {
    int most = 0;
    for (int i = 0; i < t->sample.cells * t->sample.arms; i++) {
        int layers = layers_of(t, i / t->sample.arms, i % t->sample.arms);
        most = layers > most ? layers : most;
    }
    return most;
}

/* What the CSV calls a curve of the blocks: the usual ones by their column, as ever, others as files name them. */
static const char *quantity(const CurveInfo *curve) {
    return probe_info[curve_probe(curve)].usual ? curve->column : curve->name;
}

void figure_blocks_csv(const Table *t, Text *out) {
    if (most_layers(t) < 1 || !t->x->block_panels) return;
    text_format(out, "cell,arm,quantity,block,mean,seeds,of\n");
    for (int cell = 0; cell < t->sample.cells; cell++)
        for (int p = 0; p < t->x->block_panels; p++)
            for (int arm = 0; arm < t->sample.arms; arm++)
                for (int l = 0; l < layers_of(t, cell, arm); l++) {
                    char where[256];
                    int n;
                    double mean = block_mean(t, cell, arm, t->x->block_panel[p].curve, l, &n);
                    csv_text(out, experiment_cell_text(where, t->x, cell));
                    text_format(out, ",");
                    csv_text(out, t->x->arm[arm].name);
                    text_format(out, ",%s,%d,", quantity(t->x->block_panel[p].curve), l);
                    csv_number(out, mean);
                    text_format(out, ",%d,%d\n", n, t->sample.seeds);
                }
}

/* Whether any line has a point: records of schema 1 know no norm inputs, and a placement may have no norm. */
static bool panel_any(const Table *t, int p) {
    for (int i = 0; i < t->sample.cells * t->sample.arms; i++)
        for (int l = 0, n; l < layers_of(t, i / t->sample.arms, i % t->sample.arms); l++)
            if (block_mean(t, i / t->sample.arms, i % t->sample.arms, t->x->block_panel[p].curve, l, &n) > 0)
                return true;
    return false;
}

static bool any_panel(const Table *t) {
    bool any = false;
    for (int p = 0; p < t->x->block_panels; p++) any |= panel_any(t, p);
    return any;
}

bool figure_blocks_any(const Table *t) {
    return most_layers(t) > 1 && any_panel(t) && t->sample.cells * t->sample.arms <= MOST_LINES;
}

static void data_blocks(const Table *t, Text *out) {
    for (int p = 0; p < t->x->block_panels; p++)
        for (int cell = 0; cell < t->sample.cells; cell++)
            for (int arm = 0; arm < t->sample.arms; arm++) {
                text_format(out, "$d%d_%d_%d << END\n", p, cell, arm);
                for (int l = 0, n; l < layers_of(t, cell, arm); l++) {
                    double x = block_mean(t, cell, arm, t->x->block_panel[p].curve, l, &n);
                    if (x > 0)
                        text_format(out, "%d %.9g\n", l, x);
                    else
                        text_format(out, "%d NaN\n", l);
                }
                text_format(out, "END\n");
            }
}

/* A colour per cell and a dash per arm, other dashes when the colours start again; without cells the arms take the
 * colours. */
static const char *colour(const Table *t, int line) {
    int cell = line / t->sample.arms, arm = line % t->sample.arms;
    return colours[(t->sample.cells > 1 ? cell : arm) % COLOURS];
}

static const char *dash(const Table *t, int line) {
    int arm = line % t->sample.arms, cells = t->sample.cells;
    return dashes[(cells > 1 ? line / t->sample.arms / COLOURS * t->sample.arms + arm : arm / COLOURS) % DASHES];
}

/* Lines drawn later that an eye cannot tell from this one, counted up to 3: it is so much
 * wider, and pale, beneath them. */
static int lines_over(const Table *t, int p, int line) {
    int over = 0, arms = t->sample.arms, layers = layers_of(t, line / arms, line % arms);
    for (int i = line + 1; i < t->sample.cells * arms; i++) {
        bool same = layers_of(t, i / arms, i % arms) == layers;
        for (int l = 0, n; l < layers && same; l++) {
            double x = block_mean(t, line / arms, line % arms, t->x->block_panel[p].curve, l, &n);
            double y = block_mean(t, i / arms, i % arms, t->x->block_panel[p].curve, l, &n);
            same = fabs(x - y) < 0.01 * x;
        }
        over += same && over < 3;
    }
    return over;
}

static bool any_over(const Table *t) {
    bool any = false;
    for (int p = 0; p < t->x->block_panels; p++)
        for (int i = 0; panel_any(t, p) && i < t->sample.cells * t->sample.arms; i++) any |= lines_over(t, p, i) > 0;
    return any;
}

/* Of the values that are drawn. */
static void panel_range(const Table *t, int p, double *least, double *most) {
    *least = (double)INFINITY, *most = 0;
    for (int i = 0; i < t->sample.cells * t->sample.arms; i++)
        for (int l = 0, n; l < layers_of(t, i / t->sample.arms, i % t->sample.arms); l++) {
            double x = block_mean(t, i / t->sample.arms, i % t->sample.arms, t->x->block_panel[p].curve, l, &n);
            if (x > 0) *least = fmin(*least, x), *most = fmax(*most, x);
        }
}

static void panel_plot(const Table *t, int p, Text *out) {
    int lines = t->sample.cells * t->sample.arms;
    const Panel *panel = &t->x->block_panel[p];
    double width = 0.98 / t->x->block_panels, left = 0.08 + p * width, least, most;
    panel_range(t, p, &least, &most);
    bool log_axis = figure_log_axis(panel->axis, least, most);
    text_format(out, "set lmargin at screen %.4f\nset rmargin at screen %.4f\nset ylabel '%s%s'\nset title ", left,
                left + width - 0.09, panel->curve->unit, log_axis ? ", log axis" : "");
    figure_quoted(out, panel->curve->title);
    text_format(out, "\n%sset logscale y\nset xrange [-0.3:%d.3]\nset xtics 1\nplot ", log_axis ? "" : "un",
                most_layers(t) - 1);
    for (int i = 0; i < lines; i++) {
        int over = lines_over(t, p, i);
        text_format(out, "$d%d_%d_%d using 1:2 with linespoints pt 7 ps %g lc rgb '#%s%s' dt %s lw %d notitle%s", p,
                    i / t->sample.arms, i % t->sample.arms, 0.5 + 0.25 * over, over ? "a0" : "", colour(t, i) + 1,
                    dash(t, i), 2 + 4 * over, i + 1 < lines ? ", \\\n  " : "\n");
    }
}

static void legend(const Table *t, double strip, int columns, Text *out) {
    int lines = t->sample.cells * t->sample.arms;
    text_format(
        out,
        "unset logscale\nunset title\nunset xlabel\nunset ylabel\nunset border\nunset tics\n"
        "set lmargin at screen 0.02\nset rmargin at screen 0.98\nset bmargin at screen 0.002\n"
        "set tmargin at screen %.4f\nset xrange [0:1]\nset yrange [0:1]\n"
        "set key at screen 0.5, screen %.4f center center horizontal maxcols %d Left reverse samplen 3 width 1\n"
        "plot ",
        strip, strip / 2, columns);
    for (int i = 0; i < lines; i++) {
        char where[256], label[340];
        experiment_cell_text(where, t->x, i / t->sample.arms);
        const char *arm = t->x->arm[i % t->sample.arms].label;
        int most = 40, bytes = show_bytes(arm, &most);
        snprintf(label, sizeof label, "%.*s%s%s", bytes, arm, where[0] ? ", " : "", where);
        text_format(out, "NaN with linespoints pt 7 ps 0.5 lc rgb '%s' dt %s lw 3 title ",
                    colour(t, i), dash(t, i));
        figure_quoted(out, label);
        text_format(out, i + 1 < lines ? ", \\\n  " : "\n");
    }
}

void figure_blocks_script(const Table *t, int terminals, Text *out) {
    int lines = t->sample.cells * t->sample.arms, columns = t->sample.cells > 1 ? 2 : 4;
    double strip = 14 + 21.0 * ((lines + columns - 1) / columns), height = 380 + strip;
    text_format(out, "set encoding utf8\n");
    data_blocks(t, out);
    for (int which = 0; which < 3; which++) {
        if (!(terminals >> which & 1)) continue;
        text_format(out, "reset\n");
        figure_terminal(which, WIDTH, height, out);
        text_format(out, "set multiplot title ");
        Text title;
        text_init(&title);
        text_format(&title, "%s%s%s   (mean of %d seed%s%s)", t->exploratory ? "EXPLORATORY  " : "", t->x->title,
                    t->synthetic ? ", SYNTHETIC SOURCE" : "", t->sample.seeds, t->sample.seeds == 1 ? "" : "s",
                    any_over(t) ? "; wide and pale: within 1% of the lines on it" : "");
        figure_quoted(out, title.at);
        text_release(&title);
        text_format(
            out,
            "\nset border 3 lc rgb '#444444'\nset tics nomirror out scale 0.6\nset grid y lc rgb '#e6e6e6' lt 1\n"
            "set xlabel 'block (0: nearest to the embeddings)' offset 0,0.4\nset tmargin at screen %.4f\n"
            "set bmargin at screen %.4f\nunset key\nset format y '%%g'\n",
            1 - 54 / height, (strip + 46) / height);
        for (int p = 0; p < t->x->block_panels; p++)
            if (panel_any(t, p)) panel_plot(t, p, out);
        legend(t, strip / height, columns, out);
        text_format(out, "unset multiplot\nset output\n");
    }
}
