/* A sheet: the page that a Plot is drawn on, for one format. Lengths are in points (1/72 inch), which gnuplot is given
 * as fractions of the page. From the top: title, panels in rows, legend, notes. For bench/formats/plot_gnuplot.c. */
#ifndef BENCH_FORMATS_PLOT_SHEET_H
#define BENCH_FORMATS_PLOT_SHEET_H

#include "bench/formats/plot.h"

#define POINT_MM (25.4 / 72)
#define TITLE 8.5 /* sizes of type */
#define HEADING 7.5
#define SMALL 7.0
#define WIDE 0.56 /* a character's width for its size: DejaVu Sans, which most machines have, is the widest */
enum { TITLE_STEP = 11, LINE_STEP = 9, LEGEND_STEP = 11, BELOW = 26, SAMPLE = 20, EDGE = 4, LINE = 200, LINES = 12 };

/* Rows: what a heading takes of one, and where the marks stand below the middle of a high row. */
#define ROW_HEADING 0.75
#define ROW_SEEDS 0.02
#define ROW_MEAN 0.28

typedef char Line[LINE];
typedef enum { LEFT, CENTRE, RIGHT } Align;

typedef struct {
    const Plot *p;
    int format;           /* index of a bit of PLOT_… */
    bool svg, narrow;     /* narrow: 85 mm */
    double width, height; /* of the page */
    double unit;          /* a font's size in this terminal per point */
    double mark;          /* a point's, against that of the PDF */
    int columns, rows;
    double panel, above; /* height of a panel's axes; of what stands above them */
    double left, right;  /* beside a panel's axes */
    double head, legend, foot;
    int titles, notes;
    Line title[4], note[LINES];
    int legend_columns;
    double legend_wide; /* of a column */
    bool high;          /* the rows */
    double row;         /* the height of one */
} Sheet;

void sheet_init(Sheet *s, const Plot *p, int format);

/* Whether rows say two things on their right. */
bool rows_high(const PlotPanel *panel);

/* The middle of a row, in rows from the top. */
double row_at(const PlotPanel *panel, int i);

/* The upper end of a panel's axes. */
double panel_top(const Sheet *s, int place);

/* A gnuplot string: nothing in it is special but the quote. */
void gnuplot_quoted(const char *text, Text *out);

/* "set label 'text' at screen x,y left ...": x, y from the page's upper left corner. */
void sheet_label(const Sheet *s, double x, double y, Align align, double points, bool soft, const char *text,
                 Text *out);

/* A text's first characters, "…" behind them when it was cut. */
char *line_cut(Line out, const char *text, int characters);

/* Words into lines of at most `most_in` characters; what does not fit into `most` lines is cut. Returns how many. */
int line_wrap(const char *text, int most_in, Line *line, int most);

int characters_in(const char *text);
int characters_fit(double width, double points); /* into a width at a size of type */

#endif
