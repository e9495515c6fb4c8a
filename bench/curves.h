/* Curves: what a run says of itself at every step, and the metrics that follow from them. */
#ifndef BENCH_CURVES_H
#define BENCH_CURVES_H

#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"

typedef enum {
#define CURVE(name, help) CURVE_##name,
#include "bench/curves.def"
    CURVE_FIXED /* then one column per block for each BlockCurve */
} CurveColumn;

typedef enum {
#define BLOCK_CURVE(name, help) BLOCK_##name,
#include "bench/curves.def"
    BLOCK_CURVES
} BlockCurve;

/* [rows][columns], NaN = not measured. kinds: block curves that there are; records of schema 1 have the first alone. */
typedef struct {
    int rows, columns, layers, kinds;
    double *value;
} Curves;

typedef enum {
#define METRIC(key, header, better, digits, source, help) METRIC_##key,
#include "bench/metrics.def"
#undef METRIC
    METRIC_COUNT
} Metric;

typedef struct {
    const char *key, *header, *help;
    int better, digits;
} MetricInfo;
extern const MetricInfo metric_info[METRIC_COUNT];

/* No rows yet, columns for that many blocks. */
void curves_init(Curves *c, int layers);

/* Appends a row of NaN and returns it. */
double *curves_add(Curves *c);

/* One number; NaN where there is no such row or column. */
double curve_at(const Curves *c, int row, CurveColumn column);
double curve_block(const Curves *c, int row, BlockCurve kind, int layer);

/* The place of a block's number in a row. */
int curve_block_column(const Curves *c, BlockCurve kind, int layer);

/* Whether a row's train loss is more than 6 standard deviations (population) above the mean of the 128 rows before it;
 * never before there are 128 (llm.c's rule). */
bool curves_spike(const Curves *c, int row);

/* A block's number averaged over the rows before step; NaN when some of them has none. */
double curve_block_mean(const Curves *c, BlockCurve kind, int layer, int step);

/* An evaluation's metrics that come from the curves (all but source `evaluation`), from rows before step. */
void curve_metrics(const Curves *c, int step, double metric[METRIC_COUNT]);

/* curves.csv, and back from it. RC_INTEGRITY names the row. text is written over. */
void curves_text(const Curves *c, Text *out);
Rc curves_read(Curves *c, char *text, Error *e);

#endif
