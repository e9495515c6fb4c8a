#include "bench/formats/plot_sheet.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/formats/latex.h"

const char *const plot_endings[PLOT_FORMATS] = {".svg", ".pdf", "-85mm.svg", "-85mm.pdf"};

/* Heights of rows, and widths of the words beside them. */
enum { HIGH = 21, LOW = 15, NARROW_HIGH = 33, NARROW_LOW = 26, LABEL_MAX = 160, WORDS_MAX = 160 };

void gnuplot_quoted(const char *text, Text *out) {
    /* Replacements for XML's special characters, of which gnuplot does not escape all (& < >). */
    static const char *const instead[][2] = {
        {"'", "''"}, {"\uFFFE", "?"}, {"\uFFFF", "?"}, {"]]>", "]] >"}, {"&#", "& #"}};
    enum { PIECES = sizeof instead / sizeof *instead };
    for (; *text == '\''; text++) text_format(out, "\"\\047\"."); /* gnuplot takes '' at the beginning for the end */
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

char *line_cut(Line out, const char *text, int characters) {
    int most = LINE, whole = show_bytes(text, &most);
    if (most <= characters && whole < LINE - 4) {
        snprintf(out, LINE, "%.*s", whole, text);
        return out;
    }
    most = characters > 2 ? characters - 1 : 1;
    int bytes = show_bytes(text, &most);
    snprintf(out, LINE, "%.*s…", bytes > LINE - 4 ? LINE - 4 : bytes, text);
    return out;
}

int characters_in(const char *text) {
    int all = LINE;
    show_bytes(text, &all);
    return all;
}

int characters_fit(double width, double points) {
    return (int)(width / (points * WIDE));
}

int line_wrap(const char *text, int most_in, Line *line, int most) {
    int lines = 0;
    while (*text && lines < most) {
        int all = LINE - 4, rest = show_bytes(text, &all);
        if (all <= most_in && !text[rest]) {
            snprintf(line[lines++], LINE, "%s", text);
            break;
        }
        int characters = most_in, bytes = show_bytes(text, &characters), end = bytes;
        while (end > 0 && text[end] != ' ') end--;
        if (!end) end = bytes; /* one long word */
        if (lines + 1 == most)
            line_cut(line[lines++], text, most_in);
        else
            snprintf(line[lines++], LINE, "%.*s", end < LINE - 1 ? end : LINE - 1, text);
        text += end;
        while (*text == ' ') text++;
    }
    return lines;
}

/* ---- the page ---- */

static void place_legend(Sheet *s) {
    int longest = 0, entries = s->p->entries;
    double within = s->width - 2 * EDGE;
    for (int i = 0; i < entries; i++) {
        int own = characters_in(s->p->entry[i].label), most = characters_fit(within - SAMPLE - 6, SMALL);
        own = own < most ? own : most;
        longest = own > longest ? own : longest;
    }
    s->legend_columns = (int)(within / (SAMPLE + 16 + longest * SMALL * WIDE));
    if (s->legend_columns < 1) s->legend_columns = 1;
    if (s->legend_columns > entries) s->legend_columns = entries;
    s->legend_wide = fmin(SAMPLE + 22 + longest * SMALL * WIDE, entries ? within / s->legend_columns : 0);
    s->legend = entries ? LEGEND_STEP * ((entries + s->legend_columns - 1) / s->legend_columns) + 3 : 0;
}

bool rows_high(const PlotPanel *panel) {
    bool high = false;
    for (const PlotRow *row = panel->row; row < panel->row + panel->rows; row++)
        high |= row->words[0] && row->numbers[0];
    return high;
}

/* Make room beside rows for their words, which at 85 mm are above the marks. */
static void place_rows(Sheet *s, const PlotPanel *panel) {
    int label = 8, words = 8;
    double in_rows = 0;
    for (const PlotRow *row = panel->row; row < panel->row + panel->rows; row++) {
        int numbers = characters_in(row->numbers), own = characters_in(row->label), said = characters_in(row->words);
        said = said > numbers ? said : numbers;
        label = own > label ? own : label, words = said > words ? said : words;
        in_rows += 1 + (row->heading ? ROW_HEADING : 0);
    }
    s->high = rows_high(panel);
    s->row = s->narrow ? s->high ? NARROW_HIGH : NARROW_LOW : s->high ? HIGH : LOW;
    s->panel = s->row * in_rows;
    s->left = s->narrow ? 10 : fmin(16 + label * SMALL * WIDE, LABEL_MAX);
    s->right = s->narrow ? 10 : fmin(14 + words * SMALL * WIDE, WORDS_MAX);
}

void sheet_init(Sheet *s, const Plot *p, int format) {
    const char *ending = plot_endings[format];
    *s = (Sheet){.p = p, .format = format, .svg = strstr(ending, "svg"), .left = 34, .right = 10};
    s->unit = s->svg ? 6 * POINT_MM : 1, s->mark = s->svg ? 1.5 : 1;
    s->narrow = strstr(ending, "85mm");
    s->width = (s->narrow ? 85 : 170) / POINT_MM;
    s->titles = line_wrap(p->title, characters_fit(s->width - 2 * EDGE, TITLE), s->title, 3);
    for (int i = 0; i < p->notes && s->notes < LINES; i++)
        s->notes +=
            line_wrap(p->note[i], characters_fit(s->width - 2 * EDGE, SMALL), s->note + s->notes, LINES - s->notes);
    int across = s->narrow ? p->narrow_across : p->across, lines = 0;
    s->columns = p->panels < across ? p->panels : across;
    s->rows = (p->panels + s->columns - 1) / s->columns;
    s->panel = s->narrow ? 0.9 * p->height : p->height;
    for (const PlotPanel *panel = p->panel; panel < p->panel + p->panels; panel++) {
        Line line[2];
        int own = line_wrap(panel->title, characters_fit(s->width / s->columns - EDGE - s->right, HEADING), line, 2);
        own += panel->y.label[0] != 0;
        lines = own > lines ? own : lines;
        if (panel->rows) place_rows(s, panel);
    }
    place_legend(s);
    s->above = LINE_STEP * lines + 8;
    s->head = TITLE_STEP * s->titles + 3;
    s->foot = s->legend + LINE_STEP * s->notes + EDGE;
    s->height = ceil(s->head + s->rows * (s->above + s->panel + BELOW) + s->foot);
}

void sheet_label(const Sheet *s, double x, double y, Align align, double points, bool soft, const char *text,
                 Text *out) {
    static const char *const words[] = {"left", "center", "right"};
    text_format(out, "set label ");
    gnuplot_quoted(text, out);
    text_format(out, " at screen %.5f,%.5f %s front font ',%.2f'%s\n", x / s->width, 1 - y / s->height, words[align],
                points * s->unit, soft ? " tc rgb '" PLOT_SOFT "'" : "");
}

double row_at(const PlotPanel *panel, int i) {
    double at = 0.5;
    for (int k = 0; k <= i; k++) at += (k > 0) + (panel->row[k].heading ? ROW_HEADING : 0);
    return at;
}

double panel_top(const Sheet *s, int place) {
    return s->head + place / s->columns * (s->above + s->panel + BELOW) + s->above;
}
