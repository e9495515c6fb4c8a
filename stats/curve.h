/* Curves: slopes over depth or steps per seed, area, thinning, spikes. */
#ifndef STATS_CURVE_H
#define STATS_CURVE_H

#include "stats/paired.h"
#include "stats/status.h"

/* Least-squares line y = intercept + slope x. n >= 2; se (of the slope) needs n >= 3. All x equal:
 * ST_DEGENERATE. */
typedef struct {
    StStatus status;
    size_t n;
    double slope, intercept;
    double se, rss;
} StLine;

StLine st_line(const double *x, const double *y, size_t n);

/* The same with Tukey's bisquare weights (tuning 4.685, scale from the median residual), iterated,
 * so that one wild point cannot turn it. n >= 3. se is NaN: intervals come from seeds. rss: of all
 * points. Our own loop over gsl_fit_wlinear, because gsl_multifit_robust crashes when memory runs
 * out inside it (GSL 2.7.1). */
StLine st_line_robust(const double *x, const double *y, size_t n);

/* Power law y ~ x^slope over layers or depths: log y on log x for every seed, then the t interval
 * over seeds, because the points of one seed are not replicates. x[points], y[seeds][points], all >
 * 0 (ST_BAD_ARG); slopes[seeds] out. */
StTci st_loglog(const double *x, const double *y, size_t seeds, size_t points, double conf, double *slopes);

/* Mean height of the curve between its ends (trapezoids / width). x strictly increasing, n >= 2. */
typedef struct {
    StStatus status;
    double value;
} StArea;

StArea st_area(const double *x, const double *y, size_t n);

/* The curve at m other places within its range, by Steffen's 1990 interpolation, which overshoots
 * nowhere. n >= 3. */
StStatus st_curve_at(const double *x, const double *y, size_t n, const double *at, size_t m, double *out);

/* Steps whose value lies more than z standard deviations above the mean of the `window` steps
 * before it. The first `window` steps are judged by none. max_z: the largest seen, NaN without any
 * judged; a flat window takes the tie tolerance for its spread. count: spikes; first: place of the
 * first one, n when there is none. window >= 2, z > 0. */
typedef struct {
    StStatus status;
    size_t n, judged, count, first;
    double max_z;
} StSpikes;

StSpikes st_spikes(const double *y, size_t n, size_t window, double z);

#endif
