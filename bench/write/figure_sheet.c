#include "bench/write/figure_sheet.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const figure_endings[FIGURE_FORMATS] = {".svg", ".pdf", "-85mm.svg", "-85mm.pdf"};

#define POINT_MM (25.4 / 72)
#define TITLE 8.5 /* sizes of type, in points */
#define HEADING 7.5
#define SMALL 7.0
enum { TITLE_STEP = 11, LINE_STEP = 9, LEGEND_STEP = 11, BELOW = 26, SAMPLE = 20, EDGE = 4 };

/* Okabe and Ito's colours, told apart by colour-blind readers; orange and sky blue darkened until all have a contrast
 * of 3 and more on white and on #111. Two of one colour differ in dash or, far apart in a long list, in the point. */
FigureStyle figure_style(const Table *t, int arm) {
    static const char *const colours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#B07D00", "#2F97D0"};
    static const char *const dashes[] = {"1", "(9,5)", "(2,3)", "(12,4,2,4)", "(5,3)", "(9,3,2,3,2,3)"};
    static const int points[] = {7, 5, 9, 11, 13}; /* circle, square, triangles, diamond: filled */
    enum { COLOURS = 6, POINTS = 5 };
    int base = t->sample.baseline, place = arm < base ? arm : arm - 1;
    if (arm == base) return (FigureStyle){"#000000", "(6,4)", 7};
    int round = place / COLOURS; /* of the colours */
    return (FigureStyle){colours[place % COLOURS], dashes[(place + round / 3) % 2 + 2 * (round % 3)],
                         points[place % POINTS]};
}

void figure_quoted(Text *out, const char *text) {
    /* What must not stand in XML, where gnuplot escapes less than all of & < >. */
    static const char *const instead[][2] = {
        {"'", "''"}, {"\uFFFE", "?"}, {"\uFFFF", "?"}, {"]]>", "]] >"}, {"&#", "& #"}};
    enum { PIECES = sizeof instead / sizeof *instead };
    for (; *text == '\''; text++) text_format(out, "\"\\047\"."); /* gnuplot ends a string at '' where it begins */
    text_format(out, "'");
    while (*text) {
        int i = 0;
        while (i < PIECES && strncmp(text, instead[i][0], strlen(instead[i][0])) != 0) i++;
        if (i < PIECES)
            text_format(out, "%s", instead[i][1]), text += strlen(instead[i][0]);
        else
            text_add(out, text++, 1);
    }
    text_format(out, "'");
}

char *figure_cut(char out[SHEET_LINE], const char *text, int characters) {
    int most = SHEET_LINE, whole = show_bytes(text, &most);
    if (most <= characters && whole < SHEET_LINE - 4) {
        snprintf(out, SHEET_LINE, "%.*s", whole, text);
        return out;
    }
    most = characters > 2 ? characters - 1 : 1;
    int bytes = show_bytes(text, &most);
    snprintf(out, SHEET_LINE, "%.*s…", bytes > SHEET_LINE - 4 ? SHEET_LINE - 4 : bytes, text);
    return out;
}

/* DejaVu Sans, which most machines without other fonts have, is the widest of the usual ones. */
int sheet_fit(double width, double points) {
    return (int)(width / (points * 0.56));
}

/* Words into lines of at most `fit` characters; what does not fit into `most` lines is cut. Returns how many. */
static int wrap(const char *text, int fit, char (*line)[SHEET_LINE], int most) {
    int lines = 0;
    while (*text && lines < most) {
        int all = SHEET_LINE - 4, rest = show_bytes(text, &all);
        if (all <= fit && !text[rest]) {
            snprintf(line[lines++], SHEET_LINE, "%s", text);
            break;
        }
        int characters = fit, bytes = show_bytes(text, &characters), end = bytes;
        while (end > 0 && text[end] != ' ') end--;
        if (!end) end = bytes; /* one long word */
        if (lines + 1 == most)
            figure_cut(line[lines++], text, fit);
        else
            snprintf(line[lines++], SHEET_LINE, "%.*s", end < SHEET_LINE - 1 ? end : SHEET_LINE - 1, text);
        text += end;
        while (*text == ' ') text++;
    }
    return lines;
}

void sheet_init(Sheet *s, int format) {
    bool svg = 1 << format & (FIGURE_SVG | FIGURE_COLUMN_SVG);
    *s = (Sheet){.format = format, .left = 34, .right = 10, .unit = svg ? 6 * POINT_MM : 1, .mark = svg ? 1.5 : 1};
    s->narrow = 1 << format & (FIGURE_COLUMN_PDF | FIGURE_COLUMN_SVG);
    s->width = (s->narrow ? 85 : 170) / POINT_MM;
}

void sheet_title(Sheet *s, const Table *t, const char *where) {
    Text title;
    text_init(&title);
    text_format(&title, "%s%s%s%s%s%s", table_mark(t), t->exploratory ? "  " : "", t->x->title,
                where[0] ? ", " : "", where, t->synthetic ? ", SYNTHETIC SOURCE" : "");
    s->titles = wrap(title.at, sheet_fit(s->width - 2 * EDGE, TITLE), s->title, 3);
    text_release(&title);
}

void sheet_note(Sheet *s, const char *text) {
    if (s->notes < SHEET_LINES)
        s->notes += wrap(text, sheet_fit(s->width - 2 * EDGE, SMALL), s->note + s->notes, SHEET_LINES - s->notes);
}

void sheet_legend(Sheet *s, int arm, const char *label) {
    s->entry[s->legends].arm = arm;
    figure_cut(s->entry[s->legends++].label, label, sheet_fit(s->width - 2 * EDGE - SAMPLE - 6, SMALL));
}

void sheet_legend_law(Sheet *s, const char *dash, const char *label) {
    s->entry[s->legends].dash = dash;
    sheet_legend(s, -1, label);
}

static int columns_of(const Sheet *s, int panels, int across) {
    if (s->narrow) across = s->narrow_across ? s->narrow_across : 1;
    return panels < across ? panels : across;
}

int sheet_title_lines(const Sheet *s, int across, const char *title) {
    char line[2][SHEET_LINE];
    return wrap(title, sheet_fit(s->width / columns_of(s, across, across) - EDGE - s->right, HEADING), line, 2);
}

void sheet_panels(Sheet *s, int panels, int across, double height, int lines) {
    int longest = 0;
    for (int i = 0; i < s->legends; i++) {
        int characters = SHEET_LINE;
        show_bytes(s->entry[i].label, &characters);
        longest = characters > longest ? characters : longest;
    }
    s->legend_columns = (int)((s->width - 2 * EDGE) / (SAMPLE + 16 + longest * SMALL * 0.56));
    if (s->legend_columns < 1) s->legend_columns = 1;
    if (s->legend_columns > s->legends) s->legend_columns = s->legends;
    s->legend_wide =
        fmin(SAMPLE + 22 + longest * SMALL * 0.56, s->legends ? (s->width - 2 * EDGE) / s->legend_columns : 0);
    int rows = s->legends ? (s->legends + s->legend_columns - 1) / s->legend_columns : 0;
    s->columns = columns_of(s, panels, across), s->rows = (panels + s->columns - 1) / s->columns;
    s->panel = height, s->above = LINE_STEP * lines + 8;
    s->head = TITLE_STEP * s->titles + 3;
    s->legend = rows ? LEGEND_STEP * rows + 3 : 0;
    s->foot = s->legend + LINE_STEP * s->notes + EDGE;
    s->height = ceil(s->head + s->rows * (s->above + s->panel + BELOW) + s->foot);
}

void sheet_text(const Sheet *s, double x, double y, Align align, double points, bool soft, const char *text,
                Text *out) {
    static const char *const words[] = {"left", "center", "right"};
    text_format(out, "set label ");
    figure_quoted(out, text);
    text_format(out, " at screen %.5f,%.5f %s front font ',%.2f'%s\n", x / s->width, 1 - y / s->height, words[align],
                points * s->unit, soft ? " tc rgb '" FIGURE_SOFT "'" : "");
}

void sheet_bounds(double *least, double *most, bool log_axis) {
    double room = log_axis ? pow(*most / *least, 0.05) : 0.05 * (*most - *least);
    *least = log_axis ? *least / room : *least - room;
    *most = log_axis ? *most * room : *most + room;
}

void sheet_yrange(double least, double most, bool log_axis, Text *out) {
    int written = 0;
    if (!(least < most)) return;
    sheet_bounds(&least, &most, log_axis);
    text_format(out, "%sset yrange [%.9g:%.9g]\nset ytics autofreq\n", log_axis ? "set logscale y\n" : "", least, most);
    if (!log_axis || most > 300 * least) return;
    for (int power = (int)floor(log10(least)) - 1; power <= (int)ceil(log10(most)); power++)
        for (int i = 1; i < 10; i++) {
            double at = i * pow(10, power);
            if (at < least || at > most) continue;
            text_format(out, "%s", written++ ? ", " : "set ytics (");
            if (i == 1 || i == 2 || i == 5)
                text_format(out, "'%g' %.9g", at, at);
            else
                text_format(out, "'' %.9g 1", at);
        }
    if (written) text_format(out, ")\n");
}

void sheet_steps(int last, Text *out) {
    double step = pow(10, floor(log10(last / 2.6)));
    if (5 * step <= last / 2.6)
        step *= 5;
    else if (2 * step <= last / 2.6)
        step *= 2;
    text_format(out, "set xtics 0,%g,%d\n", step < 1 ? 1 : step, last);
}

void sheet_line(const Table *t, int arm, double width, Text *out) {
    FigureStyle style = figure_style(t, arm);
    text_format(out, " lc rgb '%s' dt %s lw %g", style.colour, style.dash, width);
}

/* SVG: six units a mm. PDF: gnuplot's points of type are 4/3 of a point unless scaled, its lines half of one. */
static void terminal(const Sheet *s, Text *out) {
    const char *ending = figure_endings[s->format];
    if (strstr(ending, "svg"))
        text_format(out, "set terminal svg noenhanced size %.0f,%.0f font 'sans-serif,%.2f' lw %.4f\n",
                    s->width * s->unit, s->height * s->unit, SMALL * s->unit, s->unit);
    else
        text_format(out, "set terminal pdfcairo noenhanced size %.4fin,%.4fin font 'sans,%g' fontscale 0.75 lw 2\n",
                    s->width / 72, s->height / 72, SMALL);
    text_format(out, "set output 'figure%s'\n", ending);
}

void sheet_open(const Sheet *s, Text *out) {
    text_format(out, "reset\n");
    terminal(s, out);
    text_format(out,
                "set multiplot\nunset key\nset border 3 lw 0.5 lc rgb '#000000'\nset tics nomirror out scale 0.5 font "
                "',%.2f'\nset xtics offset 0,%g\nset grid y lc rgb '#e6e6e6' lt 1 lw 0.5\nset format y '%%g'\n",
                SMALL * s->unit, strstr(figure_endings[s->format], "svg") ? 0.55 : 0);
}

static void margins(const Sheet *s, double left, double right, double top, double bottom, Text *out) {
    text_format(out,
                "unset arrow\nunset label\nunset object\nunset logscale\nset autoscale\nset lmargin at screen %.5f\n"
                "set rmargin at screen %.5f\nset tmargin at screen %.5f\nset bmargin at screen %.5f\n",
                left / s->width, right / s->width, 1 - top / s->height, 1 - bottom / s->height);
}

void sheet_panel(const Sheet *s, int panel, const char *title, const char *unit, const char *xlabel, Text *out) {
    char line[2][SHEET_LINE];
    double wide = s->width / s->columns, left = panel % s->columns * wide + s->left,
           right = left - s->left + wide - s->right;
    double top = s->head + panel / s->columns * (s->above + s->panel + BELOW) + s->above, bottom = top + s->panel;
    double y = top - 9;
    int lines = wrap(title, sheet_fit(wide - EDGE - s->right, HEADING), line, 2);
    margins(s, left, right, top, bottom, out);
    if (unit[0]) sheet_text(s, left - s->left + EDGE, y, ALIGN_left, SMALL, true, unit, out), y -= LINE_STEP;
    for (int i = lines; i-- > 0; y -= LINE_STEP)
        sheet_text(s, left - s->left + EDGE, y, ALIGN_left, HEADING, false, line[i], out);
    if (xlabel[0]) sheet_text(s, (left + right) / 2, bottom + 19, ALIGN_centre, SMALL, false, xlabel, out);
}

static void legend(const Sheet *s, const Table *t, Text *out) {
    for (int i = 0; i < s->legends; i++) {
        int arm = s->entry[i].arm;
        double x = EDGE + i % s->legend_columns * s->legend_wide;
        double y = s->height - s->foot + LEGEND_STEP * (i / s->legend_columns + 0.5);
        text_format(out, "set arrow from screen %.5f,%.5f to screen %.5f,%.5f nohead", x / s->width, 1 - y / s->height,
                    (x + SAMPLE) / s->width, 1 - y / s->height);
        if (arm < 0) { /* gnuplot's SVG joins lines of one colour and width, whatever their dash: so a width each */
            text_format(out, " lc rgb '" FIGURE_SOFT "' dt %s lw %g\n", s->entry[i].dash, 1.2 + 0.01 * i);
        } else {
            FigureStyle style = figure_style(t, arm);
            sheet_line(t, arm, 1.2, out);
            text_format(out, "\nset label '' at screen %.5f,%.5f point pt %d ps %g lc rgb '%s'\n",
                        (x + SAMPLE / 2.0) / s->width, 1 - y / s->height, style.point, 0.5 * s->mark, style.colour);
        }
        sheet_text(s, x + SAMPLE + 5, y, ALIGN_left, SMALL, false, s->entry[i].label, out);
    }
}

void sheet_close(const Sheet *s, const Table *t, Text *out) {
    margins(s, 0, s->width, 0, s->height, out);
    text_format(out, "unset border\nunset tics\nunset grid\nset xrange [0:1]\nset yrange [0:1]\n");
    for (int i = 0; i < s->titles; i++)
        sheet_text(s, EDGE, TITLE_STEP * (i + 0.6), ALIGN_left, TITLE, false, s->title[i], out);
    legend(s, t, out);
    for (int i = 0; i < s->notes; i++)
        sheet_text(s, EDGE, s->height - s->foot + s->legend + LINE_STEP * (i + 0.5), ALIGN_left, SMALL, true,
                   s->note[i], out);
    text_format(out, "plot NaN lc rgb '#000000' notitle\nunset multiplot\nset output\n");
}
