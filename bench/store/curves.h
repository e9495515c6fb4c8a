/* Curves: what a run says of itself at every step. bench/store/metrics.h makes metrics of them. */
#ifndef BENCH_STORE_CURVES_H
#define BENCH_STORE_CURVES_H

#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"
#include "bench/plan/curve.h"

/* [rows][columns], NaN = not measured. */
typedef struct {
    int rows, columns, layers;
    int every;           /* probes that are not usual stand in the rows that it divides */
    int at[PROBE_COUNT]; /* a probe's column, or that of block 0; -1: this run has none */
    double *value;
} Curves;

/* No rows yet, columns for that many blocks. probes: NULL for the usual ones. */
void curves_init(Curves *c, int layers, const ProbeChoice *probes);

/* Appends a row of NaN and returns it. */
double *curves_add(Curves *c);

/* One number; NaN where there is no such row or column. */
double curve_at(const Curves *c, int row, CurveColumn column);
/* The same of any curve; layer counts for those of the blocks alone. */
double curve_number(const Curves *c, int row, const CurveInfo *curve, int layer);

/* The place of a probe's number in a row (layer: -1 of the whole model); -1: it has none. */
int curve_column(const Curves *c, ProbeKind kind, int layer);

/* Rows of a curve are those that this divides: `every` of a probe that is not usual, 1 of everything else. */
int curve_stride(const Curves *c, const CurveInfo *curve);

/* Whether a row's number (train loss, gradient norm) is more than 6 standard deviations (population) above the mean of
 * the 128 rows before it; never before there are 128 (llm.c's rule). */
bool curves_spike(const Curves *c, int row, CurveColumn column);

/* A curve's number averaged over the measured rows before step that have one; NaN when the last of them has none. */
double curve_mean(const Curves *c, const CurveInfo *curve, int layer, int step);

/* curves.csv, and back from it (every is 1 then); a fixed column that the file lacks is NaN. RC_INTEGRITY names the row
 * or column. text is written over. */
void curves_text(const Curves *c, Text *out);
void curves_rows_text(const Curves *c, int first, Text *out); /* its lines from that row on, without the header */
Rc curves_read(Curves *c, char *text, Error *e);

#endif
