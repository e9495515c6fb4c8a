/* Curves: what a run measures at every step. bench/store/metrics.h computes metrics from them. */
#ifndef BENCH_STORE_CURVES_H
#define BENCH_STORE_CURVES_H

#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"
#include "bench/plan/curve.h"

/* [rows][columns], NaN = not measured. */
typedef struct {
    int rows, columns, layers;
    int every;           /* added probes have numbers in the rows that it divides */
    int at[PROBE_COUNT]; /* a probe's column, or block 0's; -1: not measured */
    double *value;
} Curves;

/* Begin without rows, with columns for `layers` blocks. probes NULL: the usual ones. */
void curves_init(Curves *c, int layers, const ProbeChoice *probes);

/* Append a row of NaN and return it. */
double *curves_add(Curves *c);

/* Return one number; NaN if there is no such row or column. */
double curve_at(const Curves *c, int row, CurveColumn column);
/* Return a number of any curve; `layer` is used for curves of blocks only. */
double curve_number(const Curves *c, int row, const CurveInfo *curve, int layer);

/* Return the index of a probe's number in a row (layer -1: the whole model); -1: it has none. */
int curve_column(const Curves *c, ProbeKind kind, int layer);

/* Return the stride of a curve's rows: `every` for an added probe, else 1. */
int curve_stride(const Curves *c, const CurveInfo *curve);

/* Return true if a row's number (train loss, gradient norm) is more than 6 standard deviations (population) above the
 * mean of the 128 rows before it; false for the first 128 rows (llm.c's rule). */
bool curves_spike(const Curves *c, int row, CurveColumn column);

/* Average a curve over the measured rows before step that have a number; NaN if the last of them has none. */
double curve_mean(const Curves *c, const CurveInfo *curve, int layer, int step);

/* Write curves.csv, and read it (every becomes 1); a fixed column that the file lacks is NaN. RC_INTEGRITY names the
 * row or column. text is overwritten. */
void curves_text(const Curves *c, Text *out);
void curves_rows_text(const Curves *c, int first, Text *out); /* appends lines from that row on, without the header */
Rc curves_read(Curves *c, char *text, Error *e);

#endif
