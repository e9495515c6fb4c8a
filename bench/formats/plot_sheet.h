/* Sheet: the page of a Plot in one format, for bench/formats/plot_gnuplot.c. Lengths are in points (1/72 inch), which
 * gnuplot gets as fractions of the page. From the top: title, panels in rows, legend, notes. */
#ifndef BENCH_FORMATS_PLOT_SHEET_H
#define BENCH_FORMATS_PLOT_SHEET_H

#include "bench/formats/plot.h"

#define POINT_MM (25.4 / 72)
#define TITLE 8.5 /* type sizes */
#define HEADING 7.5
#define SMALL 7.0
#define WIDE 0.56 /* a character's width per size, in DejaVu Sans, the widest of the usual fonts */
enum { TITLE_STEP = 11, LINE_STEP = 9, LEGEND_STEP = 11, BELOW = 26, SAMPLE = 20, EDGE = 4, LINE = 200, LINES = 12 };

/* Rows: a heading's share of one, and the offset of the marks below the middle of a high row. */
#define ROW_HEADING 0.75
#define ROW_SEEDS 0.02
#define ROW_MEAN 0.28

typedef char Line[LINE];
typedef enum { LEFT, CENTRE, RIGHT } Align;

typedef struct {
    const Plot *p;
    int format;           /* index of a bit of PLOT_… */
    bool svg, narrow;     /* narrow: 85 mm */
    double width, height; /* size of the page */
    double unit;          /* a font's size in this terminal per point */
    double mark;          /* size of a mark relative to the PDF's */
    int columns, rows;
    double panel, above; /* height of a panel's axes; of the space above them */
    double left, right;  /* margins of a panel's axes */
    double head, legend, foot;
    int titles, notes;
    Line title[4], note[LINES];
    int legend_columns;
    double legend_wide; /* width of a column */
    bool high;          /* rows are high */
    double row;         /* height of a row */
} Sheet;

void sheet_init(Sheet *s, const Plot *p, int format);

/* Return true if some row has both words and numbers on its right. */
bool rows_high(const PlotPanel *panel);

/* Return the middle of a row, in rows from the top. */
double row_at(const PlotPanel *panel, int i);

/* Return the upper end of a panel's axes. */
double panel_top(const Sheet *s, int place);

/* Append a gnuplot string, in which only the quote is special. */
void gnuplot_quoted(const char *text, Text *out);

/* Append "set label 'text' at screen x,y left ...", with x, y from the page's upper left corner. */
void sheet_label(const Sheet *s, double x, double y, Align align, double points, bool soft, const char *text,
                 Text *out);

/* Cut a text to its first characters, followed by "…" if it was longer. */
char *line_cut(Line out, const char *text, int characters);

/* Break words into at most `most` lines of at most `most_in` characters, and cut the rest. Return how many lines. */
int line_wrap(const char *text, int most_in, Line *line, int most);

int characters_in(const char *text);
int characters_fit(double width, double points); /* returns how many fit into a width at a type size */

#endif
