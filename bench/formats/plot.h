/* Plot: a figure as data. Panels have series of points, reference lines, labels, or rows of a forest plot; around them
 * are a legend, notes and a title. Its maker fills a Plot once; the renderer knows no statistics:
 * bench/formats/plot_sheet.c lays the page out for its width, bench/formats/plot_gnuplot.c writes gnuplot's program,
 * bench/formats/plot_files.c runs that.
 *
 * In an embedded SVG, text, axes, grid and everything black are currentColor, and there is no background. Opened by
 * itself, or as an <img>, the file takes its colours and background from the reader's colour scheme, by a rule on
 * svg:root that matches nothing inside a page. Widths are in mm, six units of the viewBox each. Type is 7 points or
 * more at that width. Lengths below are in points (1/72 inch). */
#ifndef BENCH_FORMATS_PLOT_H
#define BENCH_FORMATS_PLOT_H

#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"

#define PLOT_SOFT "#666666" /* colour of units, notes, reference lines */

enum { PLOT_cross = 2, PLOT_ring = 6, PLOT_disc = 7 }; /* gnuplot's numbers of points; 0: none */

/* Style of a series. */
typedef struct {
    const char *colour, *dash; /* "#0072B2"; gnuplot's, in points: "(9,5)". They outlive the plot */
    int point;
} PlotStyle;

/* Parts of a series; all bands of a panel are drawn first, then series by series bars, line and points. */
enum { PLOT_BAND = 1, PLOT_BARS = 2, PLOT_LINE = 4, PLOT_STEPS = 8, PLOT_POINTS = 16 };

typedef struct {
    double x, y, lo, hi; /* band and bars go from lo to hi; y NaN: a gap */
} PlotPoint;

typedef struct {
    PlotStyle style;
    unsigned draw;
    int of;             /* index of its arm */
    double width, size; /* line width in points; size of a point, usually 0.4 */
    bool pale;
    PlotPoint *at;
    int points;
} PlotSeries;

/* A row of a forest plot, a difference or a score: words on its left and right, a mark per seed, mean with interval. */
typedef struct {
    char *heading;         /* above it, or NULL */
    char *label;           /* left */
    char *words, *numbers; /* right; "": none. If some row has both, rows are high and the mean is below the seeds; else
                              it is among them */
    PlotStyle style;
    int of;
    double mean, lo, hi; /* lo = hi: no interval; NaN: nothing */
    double *value;       /* [seeds]; infinite: drawn at that end of the axis */
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
    double tick, first, last; /* distance between ticks, from first to last; 0: gnuplot's choice */
    PlotTick *at;             /* explicit ticks instead; labels are thinned to those that fit */
    int ticks;
} PlotAxis;

/* A horizontal line across a panel, with its name where there is room. */
typedef struct {
    double at;
    char *name; /* "": none */
    bool below; /* the name is below it */
} PlotLevel;

typedef struct {
    double x, y;
    char *text; /* ends at x, above y */
} PlotLabel;

typedef struct {
    char *title;
    char *note; /* shown in place of what could not be drawn, or NULL */
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
    char *title, *caption; /* caption: a sentence on the figure, also the SVG's title */
    PlotPanel *panel;
    PlotEntry *entry;
    char **note;
    int panels, entries, notes;
    int across, narrow_across; /* most panels side by side: at 170 mm and at 85 mm */
    double height;             /* height of a panel's axes at 170 mm; nine tenths of it at 85 mm; rows have their own */
} Plot;

/* ---- filling: what a function returns is valid until the next of its kind is added. Texts are copied. ---- */

void plot_init(Plot *p, int across, double height);
void plot_release(Plot *p);
void plot_text(char **to, const char *format, ...)
    __attribute__((format(printf, 2, 3))); /* replaces the text */
void plot_note(Plot *p, const char *note);
void plot_entry(Plot *p, PlotStyle style, const char *label);

/* Add a panel whose axes have no range yet. */
PlotPanel *plot_panel(Plot *p, const char *title, const char *xlabel, const char *unit);
PlotSeries *plot_series(PlotPanel *panel, PlotStyle style, int of, unsigned draw);
void plot_point(PlotSeries *s, double x, double y, double lo, double hi);
void plot_level(PlotPanel *panel, double at, const char *name, bool below);
void plot_mark(PlotPanel *panel, double x, double y, const char *text);
void plot_tick_at(PlotAxis *axis, double at, const char *text);
PlotRow *plot_row(PlotPanel *panel, PlotStyle style, int of, const char *label);
void plot_value(PlotRow *row, double value, bool lost);

/* Widen an axis to include a number; ignore one that is not finite. */
void plot_widen(PlotAxis *axis, double x);

/* Widen an axis by a twentieth of its range on both sides. */
void plot_room(PlotAxis *axis);

/* PLOT_auto: logarithmic if the range exceeds a factor of 10 and all values are positive. */
typedef enum { PLOT_auto, PLOT_linear, PLOT_log } PlotScale;

/* Set one y axis for the panels first, first + each, ...: around their contents and axes so far, with room. */
void plot_fit(Plot *p, int first, int each, PlotScale scale);

/* Return the distance between ticks: the least of 1, 2 and 5 times a power of ten with at most `most` of them in
 * `range`, which is positive. */
double plot_tick(double range, int most);

/* Set an axis from 0 to the last step, with ticks. */
void plot_steps(PlotAxis *x, int last);

/* ---- drawing ---- */

/* Bits: NAME.svg and NAME.pdf, 170 mm wide (two columns); NAME-85mm.svg and NAME-85mm.pdf (one column). */
enum { PLOT_SVG = 1, PLOT_PDF = 2, PLOT_COLUMN_SVG = 4, PLOT_COLUMN_PDF = 8, PLOT_FORMATS = 4 };

/* Ending of the name for bit i: ".svg", ".pdf", "-85mm.svg", "-85mm.pdf". */
extern const char *const plot_endings[PLOT_FORMATS];

/* Write gnuplot's program, which writes figure.svg and so on, for set bits, to the working folder, the PDFs last and
 * only if gnuplot can write them. */
void plot_gnuplot(const Plot *p, int formats, Text *out);

/* Draw NAME.svg and so on into folder, after folder_sweep; without the PDFs if gnuplot cannot write any. aside: a
 * scratch folder. RC_UNMEASURED: no gnuplot, it failed, or the disk refused. */
Rc plot_draw(const Plot *p, const char *name, int formats, const char *aside, const char *folder, Error *e);

/* Write the 170 mm SVG to the file `path`; codes of plot_draw. */
Rc plot_write(const Plot *p, const char *path, Error *e);

/* Adapt gnuplot's SVG as described above: colours, size in mm, title. */
void plot_svg(const char *svg, const char *title, Text *out);

#endif
