/* NAME-corpora: performance profiles (bench/verdict/corpora.h): the share of runs of all corpora whose score is at
 * least as good as tau, a line per arm with its stratified bootstrap band. A figure per group of cells. */
#include <math.h>
#include <stdio.h>

#include "bench/figures/figure.h"
#include "bench/verdict/grouping.h"
#include "bench/write/corpora.h"

enum { POINTS = 121, HEIGHT = 150 };

static int parts(const Table *t) {
    LOCAL(corpora_release) Corpora c = {0};
    if (!corpora_make(&c, &t->sample)) return 0;
    int groups = c.groups;
    return groups;
}

/* The group's first cell, whose other factors the name says. */
static int named_cell(const Table *t, int part) {
    static const char *const within[] = {"dataset"};
    Grouping g = grouping_of(t->x, within, 1);
    int cell = 0;
    while (grouping_group(&g, cell) != part) cell++;
    return g.groups > 1 ? cell : -1;
}

static void fill_arm(const Table *t, const Corpora *c, int part, int arm, PlotPanel *panel) {
    double tau[POINTS];
    StBand band[POINTS];
    PlotSeries *s =
        plot_series(panel, figure_arm_style(t, arm), arm, PLOT_STEPS | (t->sample.seeds > 1 ? PLOT_BAND : 0));
    for (int i = 0; i < POINTS; i++) tau[i] = panel->x.least + (panel->x.most - panel->x.least) * i / (POINTS - 1);
    corpora_profile(&c->sum[part], arm, tau, POINTS, band);
    for (int i = 0; i < POINTS; i++) {
        double share = band[i].share;
        plot_point(s, tau[i], share, isnan(band[i].lo) ? share : band[i].lo, isnan(band[i].hi) ? share : band[i].hi);
    }
}

static void note(const Table *t, const Corpora *c, bool higher, Plot *p) {
    char note[400];
    snprintf(
        note, sizeof note,
        "A curve is the share of the runs of all corpora whose score is at %s tau%s%s%s. The score is %s minus the "
        "baseline's mean on the same corpus; %s is better. A run that diverged counts as a uniform guess (loss ln V).",
        higher ? "least" : "most", t->sample.seeds > 1 ? "; its band is the " : "",
        t->sample.seeds > 1 ? TABLE_CONFIDENCE(t) : "",
        t->sample.seeds > 1 ? " % stratified bootstrap interval, point by point" : "", metric_info[c->metric].heading,
        higher ? "higher" : "lower");
    plot_note(p, note);
}

static void fill(const Table *t, int part, Plot *p) {
    LOCAL(corpora_release) Corpora c = {0};
    if (!corpora_make(&c, &t->sample)) return;
    figure_begin(
        p, t,
        SHOW_TEXT("%s%safter %s", c.group[part], c.group[part][0] ? ", " : "", FIGURE_STEPS(t, named_cell(t, part))), 1,
        HEIGHT);
    figure_legend(p, t);
    note(t, &c, c.sum[part].higher, p);
    PlotPanel *panel =
        plot_panel(p, "", SHOW_TEXT("tau: %s minus the baseline's", metric_info[c.metric].heading), "share of runs");
    corpora_range(&c.sum[part], &panel->x.least, &panel->x.most);
    plot_room(&panel->x);
    panel->x.tick = plot_tick(panel->x.most - panel->x.least, 6);
    panel->x.first = panel->x.tick * ceil(panel->x.least / panel->x.tick) + 0.0;
    panel->y.least = 0, panel->y.most = 1;
    plot_room(&panel->y);
    for (int i = 0; i < t->sample.arms; i++) fill_arm(t, &c, part, figure_arm(t, i), panel);
}

static void caption(const Table *t, int part, Text *out) {
    LOCAL(corpora_release) Corpora c = {0};
    if (!corpora_make(&c, &t->sample)) return;
    figure_caption_begin(t, c.group[part], out);
    text_format(out,
                ": performance profiles over %d corpora, the share of runs whose score is at least as good as tau.",
                c.corpora);
}

const FigureRow figure_corpora = {"corpora", parts, figure_of_several, named_cell, "dataset", fill, caption, NULL};
