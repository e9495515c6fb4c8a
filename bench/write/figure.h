/* Figures. NAME-curves: the curves that the experiment's `panels` name over the steps, one figure per cell; validation
 * loss, gradient norm and embedding norm when it names none. A line is the mean of an arm's seeds, its band reaches
 * from the smallest to the largest. Unless the file names an axis, a panel whose values span more than a factor of 10
 * has a logarithmic one, so a first loss above 100 nats hides nothing. Values that are not finite are left out of the
 * line, a cross stands where a run diverged, and the legend says how many did. Drawn by gnuplot. */
#ifndef BENCH_WRITE_FIGURE_H
#define BENCH_WRITE_FIGURE_H

#include "bench/write/table.h"

/* One arm's curve: rows at the steps where at least one seed has a finite value. */
typedef struct {
    int rows;
    int *step, *n; /* n: finite seeds */
    double *mean, *least, *most;
} Curve;

/* what: a curve of the whole model. */
Curve figure_curve(const Table *t, int cell, int arm, const CurveInfo *what);
void curve_release(Curve *c);

/* What is plotted, as CSV. */
void figure_csv(const Table *t, Text *out);

/* A cell's gnuplot program; in the working folder it writes figure.svg, figure.pdf and figure.png, those of the
 * terminals whose bit is set. */
void figure_script(const Table *t, int cell, int terminals, Text *out);

/* Whether a panel of values from least to most has a logarithmic axis; one with a value at or below 0 has none. */
bool figure_log_axis(Axis axis, double least, double most);

/* A gnuplot string: nothing in it is special but the quote. */
void figure_quoted(Text *out, const char *text);

enum { FIGURE_ALL = 7 };
/* Terminal 0 svg, 1 pdf, 2 png (bits 1, 2 and 4 of `terminals`): one shape for web, paper and screen, in the SVG's
 * pixels, 154 of them an inch, and half as many again for the PNG. */
void figure_terminal(int which, int width, double height, Text *out);

/* The blocks' figure (bench/write/figure_blocks.c): its program and its numbers. Whether there is one: two blocks or
 * more, and at most 32 lines. A line that runs under others is wide and pale. */
bool figure_blocks_any(const Table *t);
void figure_blocks_script(const Table *t, int terminals, Text *out);
void figure_blocks_csv(const Table *t, Text *out);

/* "NAME-curves", with "-cellK" when there are several cells; out holds at least 120 bytes; returns out. */
char *figure_name(char *out, const Table *t, int cell);

/* Draws every cell's figure, and the blocks', into folder. RC_UNMEASURED: no gnuplot, it
 * failed, or the disk refused. */
Rc figure_draw(const Table *t, const char *folder, int terminals, Error *e);

#endif
