/* A line through points. */
#ifndef STATS_CURVE_H
#define STATS_CURVE_H

#include "stats/paired.h"
#include "stats/status.h"

/* Least-squares line y = intercept + slope x. n >= 2. All x equal: ST_DEGENERATE. */
typedef struct {
    StStatus status;
    double slope, intercept, rss;
} StLine;

StLine st_line(const double *x, const double *y, size_t n);

#endif
