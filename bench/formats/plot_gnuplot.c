/* Write gnuplot's program of a Plot. */
#include <math.h>
#include <stdio.h>

#include "bench/formats/plot_sheet.h"

/* Set the terminal. SVG: six units a mm. PDF: gnuplot's type points are 4/3 of a point unless scaled, its lines half.
 * */
static void terminal(const Sheet *s, Text *out) {
    text_format(out, "reset\n");
    if (s->svg)
        text_format(out, "set terminal svg noenhanced size %.0f,%.0f font 'sans-serif,%.2f' lw %.4f\n",
                    s->width * s->unit, s->height * s->unit, SMALL * s->unit, s->unit);
    else
        text_format(out, "set terminal pdfcairo noenhanced size %.4fin,%.4fin font 'sans,%g' fontscale 0.75 lw 2\n",
                    s->width / 72, s->height / 72, SMALL);
    text_format(out, "set output 'figure%s'\nset multiplot\nunset key\n", plot_endings[s->format]);
}

/* Set margins, and reset what a panel would inherit from the previous one. */
static void margins(const Sheet *s, double left, double right, double top, double bottom, Text *out) {
    text_format(out,
                "unset arrow\nunset label\nunset object\nunset logscale\nset autoscale\nset lmargin at screen %.5f\n"
                "set rmargin at screen %.5f\nset tmargin at screen %.5f\nset bmargin at screen %.5f\n",
                left / s->width, right / s->width, 1 - top / s->height, 1 - bottom / s->height);
    text_format(out,
                "set border 3 lw 0.5 lc rgb '#000000'\nset tics nomirror out scale 0.5 font ',%.2f'\n"
                "set xtics autofreq offset 0,%g\nset ytics autofreq\nset format '%%g'\n"
                "set grid noxtics ytics lc rgb '#e6e6e6' lt 1 lw 0.5\n",
                SMALL * s->unit, s->svg ? 0.55 : 0);
}

/* ---- a panel ---- */

static void panel_words(const Sheet *s, const PlotPanel *panel, int place, double left, double right, Text *out) {
    double top = panel_top(s, place), y = top - 9, below = top + s->panel + 19;
    const PlotAxis *x = &panel->x;
    Line line[2], shown;
    LOCAL_TEXT(unit);
    int lines = line_wrap(panel->title, characters_fit(s->width / s->columns - EDGE - s->right, HEADING), line, 2);
    if (panel->y.label[0]) {
        text_format(&unit, "%s%s", panel->y.label, panel->y.log ? ", log axis" : "");
        sheet_label(s, left - s->left + EDGE, y, LEFT, SMALL, true, unit.at, out), y -= LINE_STEP;
    }
    for (int i = lines; i-- > 0; y -= LINE_STEP)
        sheet_label(s, left - s->left + EDGE, y, LEFT, HEADING, false, line[i], out);
    if (x->low[0]) sheet_label(s, left, below, LEFT, SMALL, false, x->low, out);
    if (x->high[0]) sheet_label(s, right, below, RIGHT, SMALL, false, x->high, out);
    int most = characters_fit(right - left - (x->low[0] ? 72 : 0), SMALL);
    if (x->label[0])
        sheet_label(s, (left + right) / 2, below, CENTRE, SMALL, false,
                    x->low[0] ? line_cut(shown, x->label, most) : x->label, out);
}

static bool is_125(int i) {
    return i == 1 || i == 2 || i == 5;
}

/* Count the numbers 1, 2 and 5 times a power of ten in an axis. */
static int count_125(const PlotAxis *y) {
    int count = 0;
    for (int power = (int)floor(log10(y->least)) - 1; power <= (int)ceil(log10(y->most)); power++)
        for (int i = 1; i < 10; i++) {
            double at = i * pow(10, power);
            count += is_125(i) && at >= y->least && at <= y->most;
        }
    return count;
}

/* Set ticks at 1, 2 and 5 on a logarithmic axis of small range; at even distances if at most one of them is in it. */
static void ticks_125(const PlotAxis *y, Text *out) {
    enum { EVEN = 6 };
    int written = 0;
    if (!y->log || y->most > 300 * y->least) return;
    if (count_125(y) < 2 && y->most > y->least) {
        double step = plot_tick(y->most - y->least, EVEN);
        for (double k = ceil(y->least / step); k * step <= y->most; k++)
            text_format(out, "%s'%g' %.9g", written++ ? ", " : "set ytics (", k * step, k * step);
        if (written) text_format(out, ")\n");
        return;
    }
    for (int power = (int)floor(log10(y->least)) - 1; power <= (int)ceil(log10(y->most)); power++)
        for (int i = 1; i < 10; i++) {
            double at = i * pow(10, power);
            if (at < y->least || at > y->most) continue;
            text_format(out, "%s", written++ ? ", " : "set ytics (");
            if (is_125(i))
                text_format(out, "'%g' %.9g", at, at);
            else
                text_format(out, "'' %.9g 1", at);
        }
    if (written) text_format(out, ")\n");
}

static void axis(const Sheet *s, const PlotAxis *a, char which, Text *out) {
    if (a->log) text_format(out, "set logscale %c\n", which);
    if (a->least < a->most) text_format(out, "set %crange [%.9g:%.9g]\n", which, a->least, a->most);
    if (a->tick > 0 && a->last > a->first)
        text_format(out, "set %ctics %g,%g,%.9g\n", which, a->first, a->tick, a->last);
    else if (a->tick > 0)
        text_format(out, "set %ctics %g,%g\n", which, a->first, a->tick);
    if (!a->ticks) return;
    int room = characters_fit(s->width / s->columns - s->left - s->right, SMALL) / 6,
        each = (a->ticks + room - 1) / room;
    text_format(out, "set %ctics (", which);
    for (int i = 0; i < a->ticks; i++) {
        text_format(out, "%s", i ? ", " : "");
        gnuplot_quoted(i % each ? "" : a->at[i].text, out);
        text_format(out, " %.9g", a->at[i].at);
    }
    text_format(out, ")\n");
}

/* Draw levels with their names where falling curves are not: above the line on the right; on a logarithmic axis, where
 * curves end near them, on the left. */
static void levels(const Sheet *s, const PlotPanel *panel, Text *out) {
    const PlotAxis *y = &panel->y;
    double before = (double)INFINITY, span = y->log ? log(y->most / y->least) : y->most - y->least;
    for (const PlotLevel *l = panel->level; l < panel->level + panel->levels; l++) {
        if (!(l->at > y->least && l->at < y->most)) continue;
        text_format(out,
                    "set arrow from graph 0, first %.9g to graph 1, first %.9g nohead back lc rgb '" PLOT_SOFT
                    "' dt (1,3) lw 0.6\n",
                    l->at, l->at);
        double at = (y->log ? log(l->at) : l->at) / span;
        if (!l->name[0] || before - at < 0.1) continue; /* no room for its name */
        before = at;
        text_format(out, "set label ");
        gnuplot_quoted(l->name, out);
        text_format(out, " at graph %g, first %.9g %s offset 0,%s font ',%.2f' tc rgb '" PLOT_SOFT "'\n",
                    y->log                ? 0.02
                    : panel->named_to > 0 ? panel->named_to
                                          : 0.98,
                    l->at, y->log ? "left" : "right", l->below ? "-0.5" : "0.5", SMALL * s->unit);
    }
}

static void marks(const Sheet *s, const PlotPanel *panel, Text *out) {
    for (const PlotLabel *m = panel->mark; m < panel->mark + panel->marks; m++) {
        text_format(out, "set label ");
        gnuplot_quoted(m->text, out);
        text_format(out, " at first %.9g, first %.9g right offset 0,0.6 front font ',%.2f'\n", m->x, m->y,
                    SMALL * s->unit);
    }
    if (!panel->note) return;
    text_format(out, "set label ");
    gnuplot_quoted(panel->note, out);
    text_format(out, " at graph 0.5, graph 0.5 center tc rgb '" PLOT_SOFT "'\n");
}

/* Begin gnuplot's plot command, or continue it. */
static void next(int *written, Text *out) {
    text_format(out, (*written)++ ? ", \\\n  " : "plot ");
}

/* Draw one part of a series. */
static void part(const Sheet *s, int place, int i, unsigned draw, Text *out) {
    const PlotSeries *of = &s->p->panel[place].series[i];
    const PlotStyle *style = &of->style;
    char colour[20];
    snprintf(colour, sizeof colour, "#%s%.6s", of->pale ? "a0" : "", style->colour + 1);
    text_format(out, "$p%d_%d using ", place, i);
    if (draw & PLOT_BAND)
        text_format(out, "1:3:4 with filledcurves fs transparent solid 0.18 noborder lc rgb '%s'", colour);
    else if (draw & PLOT_BARS)
        text_format(out, "1:3:(0):($4-$3) with vectors nohead lw 1 lc rgb '%s'", colour);
    else
        text_format(out, "1:2 with %s%s lc rgb '%s' lw %g",
                    draw & PLOT_STEPS  ? "steps"
                    : draw & PLOT_LINE ? "lines"
                                       : "",
                    draw & PLOT_POINTS ? "points" : "", colour, of->width);
    if (draw & (PLOT_LINE | PLOT_STEPS)) text_format(out, " dt %s", style->dash);
    if (draw & PLOT_POINTS) text_format(out, " pt %d ps %g", style->point, of->size * s->mark);
    text_format(out, " notitle");
}

/* Draw a panel's series; gnuplot's lines and points together are "linespoints". */
static void plot_series_of(const Sheet *s, int place, Text *out) {
    const PlotPanel *panel = &s->p->panel[place];
    static const unsigned layer[] = {PLOT_BARS, PLOT_LINE | PLOT_STEPS | PLOT_POINTS};
    int written = 0;
    for (int i = 0; i < panel->series_count; i++)
        if (panel->series[i].points && panel->series[i].draw & PLOT_BAND)
            next(&written, out), part(s, place, i, PLOT_BAND, out);
    for (int i = 0; i < panel->series_count; i++)
        for (int k = 0; k < 2 && panel->series[i].points; k++)
            if (panel->series[i].draw & layer[k])
                next(&written, out), part(s, place, i, panel->series[i].draw & layer[k], out);
    text_format(out, written ? "\n" : "plot NaN lc rgb '#000000' notitle\n");
}

/* ---- rows ---- */

static void row_words(const Sheet *s, const PlotPanel *panel, int i, Text *out) {
    const PlotRow *row = &panel->row[i];
    double from = panel_top(s, 0), at = row_at(panel, i);
    double y = from + s->row * (at + (s->narrow ? -0.3 : s->high ? (ROW_MEAN - ROW_SEEDS) / 2 : 0));
    const char *right = s->high || row->words[0] ? row->words : row->numbers;
    int room = s->narrow ? characters_fit(s->width - 12, SMALL) - 2 - characters_in(right)
                         : characters_fit(s->left - 10, SMALL);
    int most = characters_fit(s->narrow ? s->width - 12 : s->right - 8, SMALL);
    bool two = s->high && !s->narrow;
    Line shown, label[2];
    if (row->heading) {
        double top = from + s->row * (at - 0.5 - ROW_HEADING / 2);
        sheet_label(s, EDGE, top, LEFT, SMALL, true, line_cut(shown, row->heading, characters_fit(s->width - 8, SMALL)),
                    out);
    }
    int lines = line_wrap(row->label, room, label, s->high ? 2 : 1);
    for (int k = 0; k < lines; k++)
        sheet_label(s, EDGE, y + (k - 0.5 * (lines - 1)) * LINE_STEP, LEFT, SMALL, false, label[k], out);
    sheet_label(s, s->width - EDGE, y - (two ? 4.5 : 0), RIGHT, SMALL, right == row->numbers,
                line_cut(shown, right, most), out);
    if (two && row->numbers[0])
        sheet_label(s, s->width - EDGE, y + 4.5, RIGHT, SMALL, true, line_cut(shown, row->numbers, most), out);
}

/* Draw zero and the margin behind a row; at 85 mm not behind its words. */
static void ground(const Sheet *s, const PlotPanel *panel, int i, Text *out) {
    double at = row_at(panel, i), top = -at + (s->narrow ? 0.17 : 0.5), bottom = -at - 0.5;
    if (panel->zero)
        text_format(out, "set arrow from first 0, first %.9g to first 0, first %.9g nohead lw 0.8 lc rgb '#000000'\n",
                    top, bottom);
    if (panel->margin > 0)
        text_format(out,
                    "set object rectangle from first %.9g, first %.9g to first %.9g, first %.9g behind fs transparent "
                    "solid 0.1 noborder fc rgb '#000000'\n",
                    -panel->margin, top, panel->margin, bottom);
}

/* Write data: $sI: a row's seeds; $xI: those whose run diverged; $mI: mean and interval. */
static void rows_data(const Plot *p, Text *out) {
    bool high = rows_high(p->panel);
    for (int i = 0; i < p->panel->rows; i++) {
        const PlotRow *row = &p->panel->row[i];
        const PlotAxis *x = &p->panel->x;
        double y = -row_at(p->panel, i);
        for (int lost = 0; lost < 2; lost++) {
            int found = 0;
            text_format(out, "$%s%d << END\n", lost ? "x" : "s", i);
            for (int k = 0; k < row->values; k++)
                if (row->lost[k] == lost && !isnan(row->value[k])) {
                    double at = isinf(row->value[k]) ? row->value[k] > 0 ? x->most : x->least : row->value[k];
                    text_format(out, "%.17g %.9g\n", at, y + (high ? ROW_SEEDS : 0)), found++;
                }
            text_format(out, found ? "END\n" : "NaN NaN\nEND\n");
        }
        text_format(out, "$m%d << END\n", i);
        if (isfinite(row->mean))
            text_format(out, "%.17g %.9g %.17g %.17g\nEND\n", row->mean, y - (high ? ROW_MEAN : 0), row->lo, row->hi);
        else
            text_format(out, "NaN NaN NaN NaN\nEND\n");
    }
}

static void plot_rows(const Sheet *s, const PlotPanel *panel, Text *out) {
    double small = s->high ? 1 : 0.8;
    text_format(out, "set border 1\nunset ytics\nunset grid\n%sset yrange [%.9g:0]\n",
                s->narrow ? "" : "set grid x lc rgb '#e6e6e6' lt 1 lw 0.5\n", -row_at(panel, panel->rows - 1) - 0.5);
    for (int i = 0; i < panel->rows; i++) ground(s, panel, i, out), row_words(s, panel, i, out);
    text_format(out, "plot ");
    for (int i = 0; i < panel->rows; i++) {
        const PlotStyle *style = &panel->row[i].style;
        text_format(out, "%s$s%d using 1:2 with points pt 6 ps %g lw 0.8 lc rgb '%s' notitle", i ? ", \\\n  " : "", i,
                    0.4 * small * s->mark, style->colour);
        text_format(out, ", \\\n  $x%d using 1:2 with points pt 2 ps %g lw 1.2 lc rgb '%s' notitle", i,
                    0.5 * small * s->mark, style->colour);
        text_format(out, ", \\\n  $m%d using 3:2:($4-$3):(0) with vectors nohead lw 1.2 lc rgb '%s' notitle", i,
                    style->colour);
        text_format(out, ", \\\n  $m%d using 1:2 with points pt %d ps %g lc rgb '%s' notitle", i, style->point,
                    0.6 * small * s->mark, style->colour);
    }
    text_format(out, "\n");
}

/* ---- the program ---- */

/* Write data: $pP_S: x, y, lo, hi of series S of panel P. */
static void series_data(const Plot *p, Text *out) {
    for (int place = 0; place < p->panels; place++)
        for (int i = 0; i < p->panel[place].series_count; i++) {
            const PlotSeries *s = &p->panel[place].series[i];
            if (!s->points) continue;
            text_format(out, "$p%d_%d << END\n", place, i);
            for (const PlotPoint *at = s->at; at < s->at + s->points; at++) {
                const double column[] = {at->y, at->lo, at->hi};
                text_format(out, "%.9g", at->x);
                for (int k = 0; k < 3; k++)
                    if (isfinite(column[k]))
                        text_format(out, " %.9g", column[k]);
                    else
                        text_format(out, " NaN");
                text_format(out, "\n");
            }
            text_format(out, "END\n");
        }
}

static void draw_panel(const Sheet *s, int place, Text *out) {
    const PlotPanel *panel = &s->p->panel[place];
    double wide = s->width / s->columns, left = place % s->columns * wide + s->left;
    double right = left - s->left + wide - s->right, top = panel_top(s, place);
    margins(s, left, right, top, top + s->panel, out);
    panel_words(s, panel, place, left, right, out);
    axis(s, &panel->x, 'x', out);
    axis(s, &panel->y, 'y', out);
    ticks_125(&panel->y, out);
    levels(s, panel, out);
    marks(s, panel, out);
    if (panel->rows)
        plot_rows(s, panel, out);
    else
        plot_series_of(s, place, out);
}

static void draw_legend(const Sheet *s, Text *out) {
    Line shown;
    for (int i = 0; i < s->p->entries; i++) {
        const PlotEntry *entry = &s->p->entry[i];
        double x = EDGE + i % s->legend_columns * s->legend_wide;
        double y = s->height - s->foot + LEGEND_STEP * (i / s->legend_columns + 0.5);
        /* gnuplot's SVG joins lines of equal colour and width, whatever their dash: so soft ones have different widths
         * */
        double width = 1.2 + (entry->style.point ? 0 : 0.01 * i);
        text_format(out, "set arrow from screen %.5f,%.5f to screen %.5f,%.5f nohead lc rgb '%s' dt %s lw %g\n",
                    x / s->width, 1 - y / s->height, (x + SAMPLE) / s->width, 1 - y / s->height, entry->style.colour,
                    entry->style.dash, width);
        if (entry->style.point)
            text_format(out, "set label '' at screen %.5f,%.5f point pt %d ps %g lc rgb '%s'\n",
                        (x + SAMPLE / 2.0) / s->width, 1 - y / s->height, entry->style.point, 0.5 * s->mark,
                        entry->style.colour);
        line_cut(shown, entry->label, characters_fit(s->width - 2 * EDGE - SAMPLE - 6, SMALL));
        sheet_label(s, x + SAMPLE + 5, y, LEFT, SMALL, false, shown, out);
    }
}

/* Draw title, legend and notes. */
static void draw_around(const Sheet *s, Text *out) {
    margins(s, 0, s->width, 0, s->height, out);
    text_format(out, "unset border\nunset tics\nunset grid\nset xrange [0:1]\nset yrange [0:1]\n");
    for (int i = 0; i < s->titles; i++)
        sheet_label(s, EDGE, TITLE_STEP * (i + 0.6), LEFT, TITLE, false, s->title[i], out);
    draw_legend(s, out);
    for (int i = 0; i < s->notes; i++)
        sheet_label(s, EDGE, s->height - s->foot + s->legend + LINE_STEP * (i + 0.5), LEFT, SMALL, true, s->note[i],
                    out);
    text_format(out, "plot NaN lc rgb '#000000' notitle\nunset multiplot\nset output\n");
}

static void draw(const Plot *p, int format, Text *out) {
    Sheet s;
    sheet_init(&s, p, format);
    terminal(&s, out);
    for (int place = 0; place < p->panels; place++) draw_panel(&s, place, out);
    draw_around(&s, out);
}

void plot_gnuplot(const Plot *p, int formats, Text *out) {
    const int pdfs = PLOT_PDF | PLOT_COLUMN_PDF;
    text_format(out, "set encoding utf8\n");
    series_data(p, out);
    if (p->panels && p->panel->rows) rows_data(p, out);
    for (int i = 0; i < PLOT_FORMATS; i++)
        if (formats >> i & 1 && !(pdfs >> i & 1)) draw(p, i, out);
    if (formats & pdfs) text_format(out, "if (strstrt(GPVAL_TERMINALS, 'pdfcairo') == 0) exit\n");
    for (int i = 0; i < PLOT_FORMATS; i++)
        if (formats >> i & 1 && pdfs >> i & 1) draw(p, i, out);
}
