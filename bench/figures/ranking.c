/* Figures of a ranking (bench/verdict/ranking.h), one per group of cells:
 *   NAME-ranking        the arms by rank, each at its best learning rate: a point per seed, the mean with its interval,
 *                       the places that the tests leave open
 *   NAME-ranking-rates  loss against the learning rate, a small panel per arm by rank, the baseline's behind each */
#include <math.h>
#include <stdio.h>

#include "bench/figures/figure.h"
#include "bench/write/summaries.h"

enum { ACROSS = 4, NARROW_ACROSS = 2, PANELS_MAX = 16, HEIGHT = 65 };

/* A group's first cell, whose other factors the name says. */
static int group_cell(const Table *t, int group) {
    int cell[EXPERIMENT_VALUES_MAX];
    double rate[EXPERIMENT_VALUES_MAX];
    int rates = sensitivity_cells(t->x, group, cell, rate);
    return t->sample.cells > rates ? cell[0] : -1;
}

static void caption_begin(const Table *t, int group, Text *out) {
    char where[256] = "";
    int cell = group_cell(t, group);
    if (cell >= 0) sensitivity_group(t->x, cell, where);
    figure_caption_begin(t, where, out);
}

/* ---- ranking ---- */

static int parts(const Table *t) {
    const Ranking *y = table_ranking(t);
    return y && y->rows ? y->groups : 0;
}

static bool has_interval(const RankingRow *row) {
    return !row->judged_lost && row->t.status == ST_OK;
}

/* An axis up to four times as far from the best as the middle arm: what lies beyond is said by its number. */
static void range_of(const RankingRow *row, int arms, int seeds, PlotAxis *x) {
    double best = row[0].t.mean, cut = best + 4 * (row[arms / 2].t.mean - best);
    plot_widen(x, best), plot_widen(x, row[arms / 2].t.mean);
    for (int i = 0; i < arms; i++) {
        for (int s = 0; s < seeds; s++) /* none is below the axis; one far above is not on it */
            plot_widen(x, row[i].value[s] <= cut ? row[i].value[s] : fmin(row[i].value[s], x->most));
        if (has_interval(&row[i])) plot_widen(x, fmax(row[i].t.lo, best - (cut - best)));
        if (has_interval(&row[i]) && row[i].t.hi <= cut) plot_widen(x, row[i].t.hi);
    }
    if (!(x->least < x->most)) x->least -= 0.01, x->most += 0.01;
    plot_room(x);
}

static void fill_row(const Table *t, const Ranking *y, const RankingRow *from, PlotPanel *panel) {
    char label[ARM_LABEL_SIZE + 20], mean[SHOWN];
    LOCAL_TEXT(numbers);
    snprintf(label, sizeof label, "%d  %s", from->rank, t->x->arm[from->arm].label);
    PlotRow *row = plot_row(panel, figure_arm_style(t, from->arm), from->arm, label);
    row->mean = row->lo = row->hi = from->t.mean;
    if (has_interval(from)) row->lo = from->t.lo, row->hi = from->t.hi;
    for (int s = 0; s < y->seeds; s++) plot_value(row, from->value[s], from->lost[s]);
    text_format(&numbers, "%s%s ", from->t.mean > panel->x.most ? "→ " : "",
                show_number(mean, from->t.mean, RANKING_DIGITS));
    if (from->judged_lost)
        text_format(&numbers, "div. %d/%d", from->judged_lost, y->seeds);
    else
        ranking_interval(from, &numbers);
    if (y->apart) text_format(&numbers, "  "), ranking_places(y, from, &numbers);
    plot_text(&row->numbers, "%s", numbers.at);
}

static void fill(const Table *t, int part, Plot *p) {
    const Ranking *y = table_ranking(t);
    char where[400];
    LOCAL_TEXT(note);
    if (!y) return;
    const RankingRow *first = &y->row[part * y->arms];
    snprintf(where, sizeof where, "%s%safter %s", y->group[part], y->group[part][0] ? ", " : "",
             FIGURE_STEPS(t, group_cell(t, part)));
    figure_begin(p, t, where, 1, 0);
    PlotPanel *panel = plot_panel(p, "", "validation loss, nats per token (lower is better)", "");
    range_of(first, y->arms, y->seeds, &panel->x);
    for (const RankingRow *row = first; row < first + y->arms; row++) fill_row(t, y, row, panel);
    text_format(&note,
                "○ is one seed (of %d). Filled marks are means with their %s%% t intervals, in brackets on the right",
                y->seeds, TABLE_CONFIDENCE(t));
    if (y->apart)
        text_format(&note, "; behind them stand the places that the runs leave possible: where places overlap, arms "
                           "are not told apart");
    text_format(
        &note,
        ". → marks a value beyond the axis, × a run that diverged, which counts as a uniform guess (loss ln V).");
    plot_note(p, note.at);
}

static void caption(const Table *t, int part, Text *out) {
    caption_begin(t, part, out);
    text_format(out, ": the arms by rank, each at its best learning rate, which other seeds chose; a point per seed, "
                     "the mean with its interval.");
}

const FigureRow figure_ranking = {"ranking", parts, figure_of_several, group_cell, "lr", fill, caption, NULL};

/* ---- ranking-rates ---- */

static int chunks(const Table *t) {
    return (t->sample.arms + PANELS_MAX - 1) / PANELS_MAX;
}

static int rates_parts(const Table *t) {
    const Ranking *y = table_ranking(t);
    return y && y->rows && y->rates > 1 ? y->groups * chunks(t) : 0;
}

static int rates_number(const Table *t, int part) {
    return chunks(t) > 1 ? part % chunks(t) + 1 : 0;
}

static int rates_cell(const Table *t, int part) {
    return group_cell(t, part / chunks(t));
}

/* Mean, smallest and largest over seeds at a rate. */
static PlotPoint at_rate(const Ranking *y, const RankingRow *row, int rate) {
    PlotPoint at = {y->rate[rate], 0, (double)INFINITY, -(double)INFINITY};
    for (int s = 0; s < y->seeds; s++) {
        double x = row->grid.value[rate * y->seeds + s];
        at.y += x / y->seeds, at.lo = fmin(at.lo, x), at.hi = fmax(at.hi, x);
    }
    return at;
}

static void fill_line(const Ranking *y, const RankingRow *row, PlotSeries *s) {
    for (int k = 0; k < y->rates; k++) {
        PlotPoint at = at_rate(y, row, k);
        plot_point(s, at.x, at.y, at.lo, at.hi);
    }
}

/* The baseline's line, the arm's own with its band, a cross for each run that diverged or stalled. */
static void rates_panel(const Table *t, const Ranking *y, const RankingRow *row, const RankingRow *base, Plot *p) {
    char rate[SHOWN];
    PlotPanel *panel = plot_panel(p, SHOW_TEXT("%d  %s", row->rank, t->x->arm[row->arm].label), "", "");
    panel->x.least = y->rate[0] / 1.25, panel->x.most = y->rate[y->rates - 1] * 1.25, panel->x.log = true;
    for (int k = 0; k < y->rates; k++) plot_tick_at(&panel->x, y->rate[k], format_rate(rate, y->rate[k]));
    PlotSeries *s = plot_series(panel, figure_arm_style(t, base->arm), base->arm, PLOT_LINE);
    s->width = 0.8;
    fill_line(y, base, s);
    PlotStyle style = figure_arm_style(t, row->arm);
    style.dash = "1";
    fill_line(y, row, plot_series(panel, style, row->arm, PLOT_BAND | PLOT_LINE | PLOT_POINTS));
    s = plot_series(panel, figure_mark_style(t, row->arm, PLOT_cross), row->arm, PLOT_POINTS);
    s->size = 0.5;
    for (int k = 0; k < y->rates; k++)
        for (int i = k * y->seeds; i < (k + 1) * y->seeds; i++)
            if (row->grid.lost[i])
                plot_point(s, y->rate[k], row->grid.value[i], row->grid.value[i], row->grid.value[i]);
}

static void rates_fill(const Table *t, int part, Plot *p) {
    const Ranking *y = table_ranking(t);
    char note[300];
    if (!y) return;
    int of = part / chunks(t), from = part % chunks(t) * PANELS_MAX;
    const RankingRow *group = &y->row[of * y->arms], *base = group;
    while (!base->baseline) base++;
    figure_begin(p, t,
                 SHOW_TEXT("%s%sloss by learning rate, after %s", y->group[of], y->group[of][0] ? ", " : "",
                           FIGURE_STEPS(t, rates_cell(t, part))),
                 ACROSS, HEIGHT);
    p->narrow_across = NARROW_ACROSS;
    snprintf(note, sizeof note,
             "Panels are ordered by rank. A line is the mean of the seeds, a band goes from the smallest to the "
             "largest; the dashed line is %.80s. A cross marks a run that diverged, which counts as a uniform guess "
             "(loss ln V), or stalled.",
             t->x->arm[t->sample.baseline].label);
    plot_note(p, note);
    for (int i = from; i < y->arms && i < from + PANELS_MAX; i++) rates_panel(t, y, &group[i], base, p);
    for (int i = 0; i < y->arms * y->rates; i++) { /* the parts of a group have one axis */
        PlotPoint at = at_rate(y, &group[i / y->rates], i % y->rates);
        plot_widen(&p->panel->y, at.lo), plot_widen(&p->panel->y, at.hi);
    }
    plot_fit(p, 0, 1, PLOT_auto);
}

static void rates_caption(const Table *t, int part, Text *out) {
    caption_begin(t, part / chunks(t), out);
    text_format(out, ": loss after the last step against the learning rate, a panel per arm by rank%s.",
                rates_number(t, part) > 1 ? ", continued" : "");
}

const FigureRow figure_ranking_rates = {"ranking-rates", rates_parts,   figure_always, rates_cell, "lr",
                                        rates_fill,      rates_caption, rates_number};
