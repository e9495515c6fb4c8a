/* Plot: a figure as data. Panels hold series of points, reference lines, labels, or rows of a forest plot; a legend,
 * notes and a title stand around them. A Plot is filled once, by whoever knows what it means; the renderer knows no
 * statistics. There is one: bench/formats/plot_sheet.c lays the page out for its width, bench/formats/plot_gnuplot.c
 * writes gnuplot's program, bench/formats/plot_files.c runs that.
 *
 * For those who embed an SVG: text, axes, grid and what is black are currentColor, and there is no background. Opened
 * by itself, or as an <img>, the file takes its colours and background from the reader's colour scheme, by a rule on
 * svg:root that matches nothing inside a page. Widths are in mm, six units of the viewBox each. Type is 7 points or
 * more at that width. Lengths below are in points (1/72 inch). */
#ifndef BENCH_FORMATS_PLOT_H
#define BENCH_FORMATS_PLOT_H

#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"

#define PLOT_SOFT "#666666" /* of what is beside the matter: units, notes, reference lines */

enum { PLOT_cross = 2, PLOT_ring = 6, PLOT_disc = 7 }; /* gnuplot's numbers of points; 0: none */

/* How a series looks. */
typedef struct {
    const char *colour, *dash; /* "#0072B2"; gnuplot's, in points: "(9,5)". They outlive the plot */
    int point;
} PlotStyle;

/* How a series is drawn: all bands of a panel first, then series by series bars, line and points. */
enum { PLOT_BAND = 1, PLOT_BARS = 2, PLOT_LINE = 4, PLOT_STEPS = 8, PLOT_POINTS = 16 };

typedef struct {
    double x, y, lo, hi; /* band and bars go from lo to hi; y NaN: a gap */
} PlotPoint;

typedef struct {
    PlotStyle style;
    unsigned draw;
    int of;             /* what it is of: an arm */
    double width, size; /* of the line in points; of a point, 0.4 being usual */
    bool pale;
    PlotPoint *at;
    int points;
} PlotSeries;

/* A difference or a score on its own line: words on its left and right, a mark per seed, the mean with an interval. */
typedef struct {
    char *heading;         /* above it, or NULL */
    char *label;           /* left */
    char *words, *numbers; /* right; "": none. Where some row has both, rows are high and the mean stands below the
                              seeds; else it stands among them */
    PlotStyle style;
    int of;
    double mean, lo, hi; /* lo = hi: no interval; NaN: nothing */
    double *value;       /* of each seed; infinite: drawn at that end of the axis */
    bool *lost;          /* that seed's run diverged: a cross */
    int values;
} PlotRow;

typedef struct {
    double at;
    char *text; /* "": a tick without words */
} PlotTick;

typedef struct {
    char *label;      /* of y: the unit, above the panel; of x: below it */
    char *low, *high; /* of x: words at its ends */
    double least, most;
    bool log;
    double tick, first, last; /* distance between ticks, from first to last; 0: as gnuplot thinks fit */
    PlotTick *at;             /* instead; labels are thinned to those that fit */
    int ticks;
} PlotAxis;

/* A horizontal line across a panel; its name stands where there is room. */
typedef struct {
    double at;
    char *name; /* "": none */
    bool below; /* the name stands below it */
} PlotLevel;

typedef struct {
    double x, y;
    char *text; /* ends at x, above y */
} PlotLabel;

typedef struct {
    char *title;
    char *note; /* stands in the place of what could not be drawn, or NULL */
    PlotAxis x, y;
    double named_to; /* names of levels on a linear axis end here, as a share of the panel's width; 0: at its end */
    double margin;   /* rows: a shaded band from -margin to margin; 0: none */
    bool zero;       /* rows: a line at 0 */
    PlotSeries *series;
    PlotLevel *level;
    PlotLabel *mark;
    PlotRow *row;
    int series_count, levels, marks, rows;
} PlotPanel;

typedef struct {
    PlotStyle style;
    char *label;
} PlotEntry;

typedef struct {
    char *title, *caption; /* caption: what the figure shows, as a sentence; the SVG's title */
    PlotPanel *panel;
    PlotEntry *entry;
    char **note;
    int panels, entries, notes;
    int across, narrow_across; /* panels beside each other, at most: at 170 mm and at 85 mm */
    double height;             /* of a panel's axes at 170 mm; at 85 mm nine tenths of it; of rows their own */
} Plot;

/* ---- filling: what a function returns is valid until the next of its kind is added. Texts are copied. ---- */

void plot_init(Plot *p, int across, double height);
void plot_release(Plot *p);
void plot_text(char **to, const char *format, ...)
    __attribute__((format(printf, 2, 3))); /* in the place of what it was */
void plot_note(Plot *p, const char *note);
void plot_entry(Plot *p, PlotStyle style, const char *label);

/* A panel whose axes have no ends yet. */
PlotPanel *plot_panel(Plot *p, const char *title, const char *xlabel, const char *unit);
PlotSeries *plot_series(PlotPanel *panel, PlotStyle style, int of, unsigned draw);
void plot_point(PlotSeries *s, double x, double y, double lo, double hi);
void plot_level(PlotPanel *panel, double at, const char *name, bool below);
void plot_mark(PlotPanel *panel, double x, double y, const char *text);
void plot_tick_at(PlotAxis *axis, double at, const char *text);
PlotRow *plot_row(PlotPanel *panel, PlotStyle style, int of, const char *label);
void plot_value(PlotRow *row, double value, bool lost);

/* Takes a number into an axis; one that is not finite has no place. */
void plot_widen(PlotAxis *axis, double x);

/* Ends a little beyond least and most: a twentieth of what they span. */
void plot_room(PlotAxis *axis);

/* PLOT_auto: logarithmic where least to most spans more than a factor of 10; with a value at or below 0 never. */
typedef enum { PLOT_auto, PLOT_linear, PLOT_log } PlotScale;

/* One y axis for the panels first, first + each, ...: around what is in them and in their axes so far, with room. */
void plot_fit(Plot *p, int first, int each, PlotScale scale);

/* The distance between the ticks of an axis: the least of 1, 2 and 5 times a power of ten with at most `most` of them
 * in `range`, which is above 0. */
double plot_tick(double range, int most);

/* x from 0 to the last step with ticks in between. */
void plot_steps(PlotAxis *x, int last);

/* ---- drawing ---- */

/* Bits: NAME.svg and NAME.pdf for the width of two columns, 170 mm; NAME-85mm.svg and NAME-85mm.pdf for that of one. */
enum { PLOT_SVG = 1, PLOT_PDF = 2, PLOT_COLUMN_SVG = 4, PLOT_COLUMN_PDF = 8, PLOT_FORMATS = 4 };

/* ".svg", ".pdf", "-85mm.svg", "-85mm.pdf": what bit i adds to the name. */
extern const char *const plot_endings[PLOT_FORMATS];

/* gnuplot's program; in the working folder it writes figure.svg and so on, those whose bit is set, the PDFs last and
 * only where gnuplot can write them. */
void plot_gnuplot(const Plot *p, int formats, Text *out);

/* Draws into folder, which folder_sweep swept, as NAME.svg and so on; without the PDFs where gnuplot cannot write any.
 * aside: a scratch folder. RC_UNMEASURED: no gnuplot, it failed, or the disk refused. */
Rc plot_draw(const Plot *p, const char *name, int formats, const char *aside, const char *folder, Error *e);

/* The 170 mm SVG as the file `path`; the same codes. */
Rc plot_write(const Plot *p, const char *path, Error *e);

/* gnuplot's SVG as said above: colours, size in mm, title. */
void plot_svg(const char *svg, const char *title, Text *out);

#endif
