/* NAME-ranking-rates: loss against the learning rate, a small panel per arm by rank, the baseline's behind each. */
#include <math.h>
#include <stdio.h>

#include "bench/write/figure_sheet.h"
#include "bench/write/ranking.h"
#include "bench/write/summaries.h"

enum { ACROSS = 4, MOST_PANELS = 16, HEIGHT = 62 };

static int chunks(const Table *t) {
    return (t->sample.arms + MOST_PANELS - 1) / MOST_PANELS;
}

static int parts(const Table *t) {
    const Ranking *y = table_ranking(t);
    if (!y) return 0;
    int groups = y->rows && y->rates > 1 ? y->groups : 0;
    return groups * chunks(t);
}

static bool any(const Table *t, int part) {
    (void)part;
    return t->sample.arms > 0;
}

static int number(const Table *t, int part) {
    return chunks(t) > 1 ? part % chunks(t) + 1 : 0;
}

static int named_cell(const Table *t, int part) {
    int cell[EXPERIMENT_MOST_VALUES];
    double rate[EXPERIMENT_MOST_VALUES];
    int rates = sensitivity_cells(t->x, part / chunks(t), cell, rate);
    return t->sample.cells > rates ? cell[0] : -1;
}

/* What a part shows: rows of a group. */
typedef struct {
    const RankingRow *first, *end, *base;
} Shown;

static Shown shown_of(const Table *t, const Ranking *y, int part) {
    const RankingRow *group = &y->row[part / chunks(t) * y->arms];
    int from = part % chunks(t) * MOST_PANELS, to = from + MOST_PANELS < y->arms ? from + MOST_PANELS : y->arms;
    Shown s = {.first = group + from, .end = group + to, .base = group};
    while (!s.base->baseline) s.base++;
    return s;
}

static void statistics(const Ranking *y, const RankingRow *row, int rate, double *mean, double *least, double *most) {
    *mean = 0, *least = (double)INFINITY, *most = -(double)INFINITY;
    for (int s = 0; s < y->seeds; s++) {
        double x = row->grid.loss[rate * y->seeds + s];
        *mean += x / y->seeds, *least = fmin(*least, x), *most = fmax(*most, x);
    }
}

/* $d: mean, smallest, largest by rate; $x: where a run diverged or stalled. */
static void arm_data(const Ranking *y, const RankingRow *row, Text *out) {
    double mean, least, most;
    int lost = 0;
    text_format(out, "$d%d_%d << END\n", row->group, row->arm);
    for (int k = 0; k < y->rates; k++) {
        statistics(y, row, k, &mean, &least, &most);
        text_format(out, "%.9g %.9g %.9g %.9g\n", y->rate[k], mean, least, most);
    }
    text_format(out, "END\n$x%d_%d << END\n", row->group, row->arm);
    for (int k = 0; k < y->rates; k++)
        for (int s = 0; s < y->seeds; s++)
            if (row->grid.untrained[k * y->seeds + s])
                text_format(out, "%.9g %.9g\n", y->rate[k], row->grid.loss[k * y->seeds + s]), lost++;
    text_format(out, lost ? "END\n" : "1 NaN\nEND\n");
}

static void data(const Table *t, int part, Text *out) {
    const Ranking *y = table_ranking(t);
    if (!y) return;
    Shown s = shown_of(t, y, part);
    for (const RankingRow *row = s.first; row < s.end; row++) arm_data(y, row, out);
    if (s.base < s.first || s.base >= s.end) arm_data(y, s.base, out);
}

/* Of all arms of the group, so that its parts have one axis. */
static void range_of(const Ranking *y, const RankingRow *group, double *least, double *most) {
    double mean, low, high;
    *least = (double)INFINITY, *most = -(double)INFINITY;
    for (const RankingRow *row = group; row < group + y->arms; row++)
        for (int k = 0; k < y->rates; k++) {
            statistics(y, row, k, &mean, &low, &high);
            *least = fmin(*least, low), *most = fmax(*most, high);
        }
}

static void panel(const Table *t, const Ranking *y, const Shown *shown, const RankingRow *row, double least,
                  double most, const Sheet *s, Text *out) {
    char title[SHEET_LINE], rate[SHOWN];
    FigureStyle style = figure_style(t, row->arm);
    snprintf(title, sizeof title, "%d  %s", row->rank, t->x->arm[row->arm].label);
    sheet_panel(s, (int)(row - shown->first), title, "", "", out);
    text_format(out, "set logscale x\nset xrange [%.9g:%.9g]\nset xtics (", y->rate[0] / 1.25,
                y->rate[y->rates - 1] * 1.25);
    for (int k = 0; k < y->rates; k++) /* the first, the middle and the last are named */
        text_format(out, "%s'%s' %.9g", k ? ", " : "",
                    k % ((y->rates + 1) / 2) && k + 1 < y->rates ? "" : show_rate(rate, y->rate[k]), y->rate[k]);
    text_format(out, ")\n");
    sheet_yrange(least, most, figure_log_axis(AXIS_auto, least, most), out);
    text_format(out, "plot $d%d_%d using 1:2 with lines", row->group, shown->base->arm);
    sheet_line(t, shown->base->arm, 0.8, out);
    text_format(out,
                " notitle, \\\n  $d%d_%d using 1:3:4 with filledcurves fs transparent solid 0.18 noborder lc rgb '%s' "
                "notitle, \\\n  ",
                row->group, row->arm, style.colour);
    text_format(out, "$d%d_%d using 1:2 with linespoints pt %d ps %g lw 1.2 lc rgb '%s' notitle, \\\n  ", row->group,
                row->arm, style.point, 0.35 * s->mark, style.colour);
    text_format(out, "$x%d_%d using 1:2 with points pt 2 ps %g lw 1.2 lc rgb '%s' notitle\n", row->group, row->arm,
                0.5 * s->mark, style.colour);
}

static void draw(const Table *t, int part, Sheet *s, Text *out) {
    const Ranking *y = table_ranking(t);
    double least, most;
    char where[400], note[300];
    int lines = 1;
    if (!y) return;
    Shown shown = shown_of(t, y, part);
    s->narrow_across = ACROSS / 2;
    snprintf(where, sizeof where, "%s%sloss by learning rate, after %d steps", y->group[part / chunks(t)],
             y->group[part / chunks(t)][0] ? ", " : "", t->sample.cell[0].step[t->sample.cell[0].steps - 1]);
    sheet_title(s, t, where);
    snprintf(
        note, sizeof note,
        "By rank. Line: mean of the seeds; band: smallest to largest; dashed: %.80s. Cross: a run that diverged, which "
        "counts as the uniform predictor, or stalled.",
        t->x->arm[t->sample.baseline].label);
    sheet_note(s, note);
    for (const RankingRow *row = shown.first; row < shown.end; row++) {
        snprintf(where, sizeof where, "%d  %s", row->rank, t->x->arm[row->arm].label);
        int own = sheet_title_lines(s, ACROSS, where);
        lines = own > lines ? own : lines;
    }
    sheet_panels(s, (int)(shown.end - shown.first), ACROSS, HEIGHT, lines);
    sheet_open(s, out);
    range_of(y, &y->row[part / chunks(t) * y->arms], &least, &most);
    for (const RankingRow *row = shown.first; row < shown.end; row++) panel(t, y, &shown, row, least, most, s, out);
    sheet_close(s, t, out);
}

static void caption(const Table *t, int part, Text *out) {
    char group[256] = "";
    int cell = named_cell(t, part);
    if (cell >= 0) sensitivity_group(t->x, cell, group);
    text_format(out, "%s%s%s: loss after the last step against the learning rate, a panel per arm by rank%s.",
                t->x->title, group[0] ? ", " : "", group, number(t, part) > 1 ? ", continued" : "");
}

const FigureRow figure_ranking_rates = {"ranking-rates", parts, any, named_cell, "lr", data, draw, caption, number};
