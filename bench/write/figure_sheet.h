/* A sheet: the page that a figure is drawn on, for one format. Lengths are in points (1/72 inch), which gnuplot is
 * given as fractions of the page. From the top: title, panels in rows, legend, notes. For bench/write/figure*.c. */
#ifndef BENCH_WRITE_FIGURE_SHEET_H
#define BENCH_WRITE_FIGURE_SHEET_H

#include "bench/write/figure.h"

#define FIGURE_SOFT "#666666" /* of what is beside the matter: units, notes, reference lines */

enum { SHEET_LINE = 200, SHEET_LINES = 12, SHEET_MOST_LAWS = 3 };

typedef struct {
    int format;           /* index of a bit of FIGURE_… */
    bool narrow;          /* 85 mm */
    double width, height; /* of the page */
    double unit;          /* a font's size in this terminal per point */
    double mark;          /* a point's, against that of the PDF */
    int columns, rows;
    int narrow_across;   /* panels beside each other at 85 mm; 0: one */
    double panel, above; /* height of a panel's axes; of what stands above them */
    double left, right;  /* beside a panel's axes */
    double head, legend, foot;
    int titles, notes;
    char title[4][SHEET_LINE], note[SHEET_LINES][SHEET_LINE];
    int legends, legend_columns;
    double legend_wide; /* of a column */
    struct {
        int arm;          /* -1: a line of no arm */
        const char *dash; /* of that line */
        char label[SHEET_LINE];
    } entry[EXPERIMENT_MOST_ARMS + SHEET_MOST_LAWS];
} Sheet;

void sheet_init(Sheet *s, int format);

/* One format after the other, from *i = 0: those of the bits `formats`, the PDFs last and only where gnuplot can write
 * them. -1: no more. */
int sheet_format(int formats, int *i, Text *out);

/* A drawn figure's text: its files' name without an ending, what it shows, gnuplot's program. */
typedef struct {
    const char *name, *caption, *script;
} FigureText;

/* Runs the program in the folder `aside` and puts the files into `folder`, which folder_sweep swept; the codes of
 * figure_draw. */
Rc figure_make(const FigureText *f, int formats, const char *aside, const char *folder, Error *e);

/* "lr=3e-4, warmup=500" of a cell, or "" without factors; without: one that is left out, or NULL. */
char *figure_where(char out[256], const Experiment *x, int cell, const char *without);

/* EXPLORATORY, the experiment's title, which part, the synthetic source. */
void sheet_title(Sheet *s, const Table *t, const char *where);
void sheet_note(Sheet *s, const char *text);
void sheet_legend(Sheet *s, int arm, const char *label); /* in the order of the calls; before sheet_panels */
void sheet_legend_law(Sheet *s, const char *dash, const char *label); /* a fitted law's dash, whichever the arm */

/* Places for `panels` panels, at most `across` beside each other, whose axes are `height` points high and carry up to
 * `lines` lines above. */
void sheet_panels(Sheet *s, int panels, int across, double height, int lines);

/* Terminal and page; then sheet_panel before each plot; then legend and notes. */
void sheet_open(const Sheet *s, Text *out);
void sheet_panel(const Sheet *s, int panel, const char *title, const char *unit, const char *xlabel, Text *out);
void sheet_close(const Sheet *s, const Table *t, Text *out);

/* Lines that a title takes in a panel. */
int sheet_title_lines(const Sheet *s, int across, const char *title);

/* "set label 'text' at screen x,y left …": x, y in points from the page's upper left corner; soft: in FIGURE_SOFT. */
typedef enum { ALIGN_left, ALIGN_centre, ALIGN_right } Align;
void sheet_text(const Sheet *s, double x, double y, Align align, double points, bool soft, const char *text, Text *out);

/* " lc rgb '#0072B2' dt (9,6) lw 1.1": a line of an arm, `width` points wide. */
void sheet_line(const Table *t, int arm, double width, Text *out);

/* An axis' ends, a little beyond least and most. */
void sheet_bounds(double *least, double *most, bool log_axis);

/* The y axis between them; on a logarithmic one that spans little, marks at 1, 2 and 5. */
void sheet_yrange(double least, double most, bool log_axis, Text *out);

/* Marks at steps from 0 to the last. */
void sheet_steps(int last, Text *out);

/* Characters that fit into a width at a size. */
int sheet_fit(double width, double points);

/* A gnuplot string: nothing in it is special but the quote. */
void figure_quoted(Text *out, const char *text);

/* A label's first characters, "…" behind them when it was cut. */
char *figure_cut(char out[SHEET_LINE], const char *text, int characters);

/* A kind of figure. Its parts are cells, groups of cells, or one that shows them all. */
typedef struct {
    const char *name; /* behind the table's */
    int (*parts)(const Table *t);
    bool (*any)(const Table *t, int part);             /* whether there is something to draw */
    int (*cell)(const Table *t, int part);             /* whose factors the file's name says; -1: none */
    const char *without;                               /* but for this one, or NULL */
    void (*data)(const Table *t, int part, Text *out); /* before any page */
    void (*draw)(const Table *t, int part, Sheet *s, Text *out);
    void (*caption)(const Table *t, int part, Text *out);
    int (*number)(const Table *t, int part); /* behind the name where it is not 0; NULL: no part has one */
} FigureRow;
extern const FigureRow figure_ranking, figure_ranking_rates, figure_corpora;
extern const FigureRow figure_differences, figure_rates, figure_budget, figure_spikes;
extern const FigureRow figure_seeds, figure_curves, figure_blocks;
extern const FigureRow figure_growth;

int figure_curve_cells(const Table *t); /* parts: one per cell; none where no run has the curves of two steps */
int figure_own_cell(const Table *t, int part); /* cell: the part itself, where there are several */

/* gnuplot's SVG as figure.h promises it: colours, size in mm, title. */
void figure_svg(const char *svg, const char *title, Text *out);

#endif
