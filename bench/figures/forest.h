/* The forest plot: differences to a baseline, a row for each, of stored runs and of anybody's numbers. */
#ifndef BENCH_FIGURES_FOREST_H
#define BENCH_FIGURES_FOREST_H

#include "bench/formats/plot.h"
#include "bench/verdict/paired.h"

typedef struct {
    const Family *family;
    const Comparison *c; /* NULL: there is none, the row says "n/a" */
    int better;          /* -1 lower, +1 higher, 0 neither */
    const char *heading; /* above the row, or NULL */
    const char *label;   /* of the arm */
    const char *numbers; /* mean and interval: "+0.1173 [0.1120, 0.1227]" */
    PlotStyle style;
    int of;           /* the arm */
    const bool *lost; /* of each pair, whether a run diverged; NULL: none did */
    bool lost_at_end; /* such a pair has no difference of its own and is drawn at the end of the axis */
} ForestRow;

/* Seeds, mean, interval; on the right the verdict with p, below it the numbers. */
void forest_row(PlotPanel *panel, const ForestRow *r);

/* When all rows are there: the axis, its words, zero and the margin (NaN or 0: none). minus: "loss minus pre's". */
void forest_axis(PlotPanel *panel, const char *minus, int better, double margin);

/* "2/64", or ".031" where flips were drawn, "n/a": p of a comparison adjusted over its family. */
void forest_p(const Family *f, const Comparison *c, Text *out);

#endif
