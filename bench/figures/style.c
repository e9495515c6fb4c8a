/* What all figures of a table share: the style of an arm, the begin of a Plot, its legend, where a part stands. */
#include <stdio.h>
#include <string.h>

#include "bench/figures/figure.h"

/* Okabe and Ito's colours, told apart by colour-blind readers; orange and sky blue darkened until all have a contrast
 * of 3 and more on white and on #111. Two of one colour differ in dash or, far apart in a long list, in the point. */
PlotStyle figure_style(int arm, int baseline) {
    static const char *const colours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#B07D00", "#2F97D0"};
    static const char *const dashes[] = {"1", "(9,5)", "(2,3)", "(12,4,2,4)", "(5,3)", "(9,3,2,3,2,3)"};
    static const int points[] = {PLOT_disc, 5, 9, 11, 13}; /* circle, square, triangles, diamond: filled */
    enum { COLOURS = 6, POINTS = 5 };
    int place = baseline < 0 || arm < baseline ? arm : arm - 1, round = place / COLOURS; /* of the colours */
    if (arm == baseline) return (PlotStyle){"#000000", "(6,4)", PLOT_disc};
    return (PlotStyle){colours[place % COLOURS], dashes[(place + round / 3) % 2 + 2 * (round % 3)],
                       points[place % POINTS]};
}

PlotStyle figure_arm_style(const Table *t, int arm) {
    return figure_style(arm, t->sample.baseline);
}

PlotStyle figure_mark_style(const Table *t, int arm, int point) {
    PlotStyle style = figure_arm_style(t, arm);
    style.point = point;
    return style;
}

int figure_arm(const Table *t, int i) {
    return (t->sample.baseline + 1 + i) % t->sample.arms;
}

char *figure_steps(char out[32], const Table *t, int cell) {
    int at = cell < 0 ? 0 : cell, first = t->sample.cell[at].step[table_last(t, at)];
    bool same = true;
    for (int i = 0; i < t->sample.cells && cell < 0; i++) same &= t->sample.cell[i].step[table_last(t, i)] == first;
    snprintf(out, 32, same ? "%d steps" : "all steps", first);
    return out;
}

void figure_begin(Plot *p, const Table *t, const char *where, int across, double height) {
    p->across = across, p->height = height;
    plot_text(&p->title, "%s%s%s%s%s%s", table_mark(t), t->exploratory ? "  " : "", t->x->title, where[0] ? ", " : "",
              where, t->synthetic ? ", SYNTHETIC SOURCE" : "");
}

void figure_legend(Plot *p, const Table *t) {
    for (int arm = 0; arm < t->sample.arms; arm++) plot_entry(p, figure_arm_style(t, arm), t->x->arm[arm].label);
}

void figure_caption_begin(const Table *t, const char *where, Text *out) {
    text_format(out, "%s%s%s", t->x->title, where[0] ? ", " : "", where);
}

int figure_curve_cells(const Table *t) {
    for (int i = 0; i < t->sample.cells * t->sample.arms * t->sample.seeds; i++)
        if (t->records[i].curves.rows > 1) return t->sample.cells;
    return 0;
}

const RunRecord *figure_record(const Table *t, int cell, int arm, int seed) {
    return &t->records[(cell * t->sample.arms + arm) * t->sample.seeds + seed];
}

bool figure_always(const Table *t, int part) {
    (void)t, (void)part;
    return true;
}

bool figure_of_several(const Table *t, int part) {
    (void)part;
    return t->sample.arms > 1;
}

int figure_own_cell(const Table *t, int part) {
    return t->sample.cells > 1 ? part : -1;
}

char *figure_where(char out[256], const Experiment *x, int cell, const char *without) {
    size_t n = 0;
    out[0] = 0;
    for (int f = 0; f < x->factors && n < 256; f++) {
        char value[FACTOR_VALUE_SIZE];
        if (without && !strcmp(x->factor[f].key, without)) continue;
        n += (size_t)snprintf(out + n, 256 - n, "%s%s=%s", n ? ", " : "", x->factor[f].key,
                              factor_text(value, &x->factor[f], experiment_level(x, cell, f)));
    }
    return out;
}
