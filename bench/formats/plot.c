#include "bench/formats/plot.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* Make room for one more of `count` items. */
static void *room(void *at, int count, size_t size) {
    return count & (count - 1) ? at : mem_grow(at, count ? 2 * (size_t)count : 1, size);
}

void plot_text(char **to, const char *format, ...) {
    char *text;
    va_list list;
    va_start(list, format);
    if (vasprintf(&text, format, list) < 0) text = mem_text("");
    va_end(list);
    free(*to);
    *to = text;
}

void plot_init(Plot *p, int across, double height) {
    *p = (Plot){.across = across, .narrow_across = 1, .height = height};
    p->title = mem_text(""), p->caption = mem_text("");
}

static void axis_release(PlotAxis *axis) {
    for (int i = 0; i < axis->ticks; i++) free(axis->at[i].text);
    free(axis->at);
    free(axis->label), free(axis->low), free(axis->high);
}

static void panel_release(PlotPanel *panel) {
    for (int i = 0; i < panel->series_count; i++) free(panel->series[i].at);
    for (int i = 0; i < panel->levels; i++) free(panel->level[i].name);
    for (int i = 0; i < panel->marks; i++) free(panel->mark[i].text);
    for (PlotRow *row = panel->row; row < panel->row + panel->rows; row++) {
        free(row->heading), free(row->label), free(row->words), free(row->numbers);
        free(row->value), free(row->lost);
    }
    axis_release(&panel->x), axis_release(&panel->y);
    free(panel->title), free(panel->note);
    free(panel->series), free(panel->level), free(panel->mark), free(panel->row);
}

void plot_release(Plot *p) {
    for (int i = 0; i < p->panels; i++) panel_release(&p->panel[i]);
    for (int i = 0; i < p->entries; i++) free(p->entry[i].label);
    for (int i = 0; i < p->notes; i++) free(p->note[i]);
    free(p->panel), free(p->entry), free(p->note);
    free(p->title), free(p->caption);
    *p = (Plot){0};
}

void plot_note(Plot *p, const char *note) {
    p->note = room(p->note, p->notes, sizeof *p->note);
    p->note[p->notes++] = mem_text(note);
}

void plot_entry(Plot *p, PlotStyle style, const char *label) {
    p->entry = room(p->entry, p->entries, sizeof *p->entry);
    p->entry[p->entries++] = (PlotEntry){style, mem_text(label)};
}

static PlotAxis axis_without_ends(const char *label) {
    return (PlotAxis){.label = mem_text(label),
                      .low = mem_text(""),
                      .high = mem_text(""),
                      .least = (double)INFINITY,
                      .most = -(double)INFINITY};
}

PlotPanel *plot_panel(Plot *p, const char *title, const char *xlabel, const char *unit) {
    p->panel = room(p->panel, p->panels, sizeof *p->panel);
    PlotPanel *panel = &p->panel[p->panels++];
    *panel = (PlotPanel){.title = mem_text(title), .x = axis_without_ends(xlabel), .y = axis_without_ends(unit)};
    return panel;
}

PlotSeries *plot_series(PlotPanel *panel, PlotStyle style, int of, unsigned draw) {
    panel->series = room(panel->series, panel->series_count, sizeof *panel->series);
    PlotSeries *s = &panel->series[panel->series_count++];
    double size = style.point == PLOT_ring ? 0.95 : style.point == PLOT_cross ? 0.7 : 0.4;
    *s = (PlotSeries){.style = style, .of = of, .draw = draw, .width = 1.2, .size = size};
    return s;
}

void plot_point(PlotSeries *s, double x, double y, double lo, double hi) {
    s->at = room(s->at, s->points, sizeof *s->at);
    s->at[s->points++] = (PlotPoint){x, y, lo, hi};
}

void plot_level(PlotPanel *panel, double at, const char *name, bool below) {
    panel->level = room(panel->level, panel->levels, sizeof *panel->level);
    panel->level[panel->levels++] = (PlotLevel){at, mem_text(name), below};
}

void plot_mark(PlotPanel *panel, double x, double y, const char *text) {
    panel->mark = room(panel->mark, panel->marks, sizeof *panel->mark);
    panel->mark[panel->marks++] = (PlotLabel){x, y, mem_text(text)};
}

void plot_tick_at(PlotAxis *axis, double at, const char *text) {
    axis->at = room(axis->at, axis->ticks, sizeof *axis->at);
    axis->at[axis->ticks++] = (PlotTick){at, mem_text(text)};
}

PlotRow *plot_row(PlotPanel *panel, PlotStyle style, int of, const char *label) {
    const double nothing = (double)NAN;
    panel->row = room(panel->row, panel->rows, sizeof *panel->row);
    PlotRow *row = &panel->row[panel->rows++];
    *row = (PlotRow){.style = style, .of = of, .mean = nothing, .lo = nothing, .hi = nothing};
    row->label = mem_text(label), row->words = mem_text(""), row->numbers = mem_text("");
    return row;
}

void plot_value(PlotRow *row, double value, bool lost) {
    row->value = room(row->value, row->values, sizeof *row->value);
    row->lost = room(row->lost, row->values, sizeof *row->lost);
    row->value[row->values] = value, row->lost[row->values++] = lost;
}

void plot_widen(PlotAxis *axis, double x) {
    if (isfinite(x)) axis->least = fmin(axis->least, x), axis->most = fmax(axis->most, x);
}

void plot_room(PlotAxis *axis) {
    double by = axis->log ? pow(axis->most / axis->least, 0.05) : 0.05 * (axis->most - axis->least);
    axis->least = axis->log ? axis->least / by : axis->least - by;
    axis->most = axis->log ? axis->most * by : axis->most + by;
}

static bool plot_log_axis(PlotScale scale, double least, double most) {
    return least > 0 && (scale == PLOT_log || (scale == PLOT_auto && most > 10 * least));
}

void plot_fit(Plot *p, int first, int each, PlotScale scale) {
    PlotAxis all = {.least = (double)INFINITY, .most = -(double)INFINITY};
    for (int i = first; i < p->panels; i += each) {
        const PlotPanel *panel = &p->panel[i];
        plot_widen(&all, panel->y.least), plot_widen(&all, panel->y.most);
        for (const PlotSeries *s = panel->series; s < panel->series + panel->series_count; s++)
            for (const PlotPoint *at = s->at; at < s->at + s->points; at++)
                plot_widen(&all, at->y), plot_widen(&all, at->lo), plot_widen(&all, at->hi);
    }
    all.log = plot_log_axis(scale, all.least, all.most);
    if (all.least < all.most) plot_room(&all);
    for (int i = first; i < p->panels; i += each) {
        PlotAxis *y = &p->panel[i].y;
        y->least = all.least, y->most = all.most, y->log = all.log;
    }
}

double plot_tick(double range, int most) {
    static const double of[] = {1, 2, 5};
    double power = pow(10, floor(log10(range / most)));
    for (int i = 0; i < 3; i++)
        if (range / (of[i] * power) <= most) return of[i] * power;
    return 10 * power;
}

void plot_steps(PlotAxis *x, int last) {
    double tick = pow(10, floor(log10(last / 2.6)));
    if (5 * tick <= last / 2.6)
        tick *= 5;
    else if (2 * tick <= last / 2.6)
        tick *= 2;
    x->least = 0, x->most = x->last = last, x->tick = tick < 1 ? 1 : tick;
}
