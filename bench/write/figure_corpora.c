/* NAME-corpora: performance profiles (bench/verdict/corpora.h): the share of runs of all corpora whose score is at
 * least as good as tau, a line per arm with its stratified bootstrap band. A figure per group of cells. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/verdict/grouping.h"
#include "bench/write/corpora.h"
#include "bench/write/figure_sheet.h"

enum { POINTS = 121, HEIGHT = 150, HEIGHT_NARROW = 120 };

static int parts(const Table *t) {
    Corpora c;
    if (!corpora_make(&c, &t->sample)) return 0;
    int groups = c.groups;
    corpora_release(&c);
    return groups;
}

static bool any(const Table *t, int part) {
    (void)part;
    return t->sample.arms > 1;
}

/* The group's first cell, whose other factors the name says. */
static int named_cell(const Table *t, int part) {
    static const char *const within[] = {"dataset"};
    Grouping g = grouping_of(t->x, within, 1);
    int cell = 0;
    while (grouping_group(&g, cell) != part) cell++;
    return g.groups > 1 ? cell : -1;
}

/* $p: tau, the share, its band. */
static void data(const Table *t, int part, Text *out) {
    Corpora c;
    double least, most, tau[POINTS];
    StBand band[POINTS];
    if (!corpora_make(&c, &t->sample)) return;
    corpora_range(&c.sum[part], &least, &most);
    sheet_bounds(&least, &most, false);
    for (int i = 0; i < POINTS; i++) tau[i] = least + (most - least) * i / (POINTS - 1);
    for (int arm = 0; arm < t->sample.arms; arm++) {
        corpora_profile(&c.sum[part], arm, tau, POINTS, band);
        text_format(out, "$p%d_%d << END\n", part, arm);
        for (int i = 0; i < POINTS; i++)
            if (isnan(band[i].share))
                text_format(out, "%.9g NaN NaN NaN\n", tau[i]);
            else
                text_format(out, "%.9g %.9g %.9g %.9g\n", tau[i], band[i].share,
                            isnan(band[i].lo) ? band[i].share : band[i].lo,
                            isnan(band[i].hi) ? band[i].share : band[i].hi);
        text_format(out, "END\n");
    }
    corpora_release(&c);
}

static void plot(const Table *t, int part, Text *out) {
    int arms = t->sample.arms;
    text_format(out, "plot ");
    for (int arm = 0; arm < arms && t->sample.seeds > 1; arm++)
        text_format(out,
                    "$p%d_%d using 1:3:4 with filledcurves fs transparent solid 0.18 noborder lc rgb '%s' notitle, "
                    "\\\n  ",
                    part, arm, figure_style(t, arm).colour);
    for (int i = 1; i <= arms; i++) { /* the baseline last */
        int arm = (t->sample.baseline + i) % arms;
        text_format(out, "$p%d_%d using 1:2 with steps", part, arm);
        sheet_line(t, arm, 1.2, out);
        text_format(out, " notitle%s", i < arms ? ", \\\n  " : "\n");
    }
}

static void draw(const Table *t, int part, Sheet *s, Text *out) {
    Corpora c;
    double least, most;
    char where[400], unit[200], note[400], conf[40];
    if (!corpora_make(&c, &t->sample)) return;
    bool higher = c.sum[part].higher;
    snprintf(where, sizeof where, "%s%safter %d steps", c.group[part], c.group[part][0] ? ", " : "",
             t->sample.cell[0].step[t->sample.cell[0].steps - 1]);
    sheet_title(s, t, where);
    for (int arm = 0; arm < t->sample.arms; arm++) sheet_legend(s, arm, t->x->arm[arm].label);
    snprintf(note, sizeof note,
             "Share of the runs of all corpora whose score is at %s tau%s%s%s. Score: %s minus the baseline's mean on "
             "the same corpus; %s is better. A run that diverged counts as the uniform predictor.",
             higher ? "least" : "most", t->sample.seeds > 1 ? "; band: " : "",
             t->sample.seeds > 1 ? table_confidence(t, conf) : "",
             t->sample.seeds > 1 ? " % stratified bootstrap, point by point" : "", metric_info[c.metric].heading,
             higher ? "higher" : "lower");
    sheet_note(s, note);
    sheet_panels(s, 1, 1, s->narrow ? HEIGHT_NARROW : HEIGHT, 1);
    sheet_open(s, out);
    snprintf(unit, sizeof unit, "tau: %s minus the baseline's", metric_info[c.metric].heading);
    sheet_panel(s, 0, "", "share of runs", unit, out);
    corpora_range(&c.sum[part], &least, &most);
    sheet_bounds(&least, &most, false);
    text_format(out, "unset logscale x\nset xrange [%.9g:%.9g]\nset xtics %g\n", least, most,
                figure_tick(most - least, 6));
    sheet_yrange(0, 1, false, out);
    plot(t, part, out);
    sheet_close(s, t, out);
    corpora_release(&c);
}

static void caption(const Table *t, int part, Text *out) {
    Corpora c;
    if (!corpora_make(&c, &t->sample)) return;
    text_format(out,
                "%s%s%s: performance profiles over %d corpora, the share of runs whose score is at least as good as "
                "tau.",
                t->x->title, c.group[part][0] ? ", " : "", c.group[part], c.corpora);
    corpora_release(&c);
}

const FigureRow figure_corpora = {"corpora", parts, any, named_cell, "dataset", data, draw, caption, NULL};
