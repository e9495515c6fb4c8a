/* A line through points. */
#ifndef STATS_CURVE_H
#define STATS_CURVE_H

#include "stats/paired.h"
#include "stats/status.h"

/* Least-squares line y = intercept + slope x. n >= 2; se (of the slope) needs n >= 3. All x equal: ST_DEGENERATE. */
typedef struct {
    StStatus status;
    size_t n;
    double slope, intercept;
    double se, rss;
} StLine;

StLine st_line(const double *x, const double *y, size_t n);

#endif
