/* Many comparisons: adjusted p-values.
 *
 * p[m] in, adj[m] out (may be the same array). A p that is NaN (a test that could not be made) stays NaN and still
 * counts in m: a comparison that was planned does not stop costing when it fails. A p outside [0, 1] is ST_BAD_ARG and
 * leaves adj untouched; m = 0 is fine and writes nothing. */
#ifndef STATS_MULTIPLE_H
#define STATS_MULTIPLE_H

#include "stats/status.h"

/* Holm 1979, step-down: family-wise error under any dependence. */
StStatus st_holm(const double *p, size_t m, double *adj);

/* Hochberg 1988, step-up: family-wise error for independent or positively dependent p. */
StStatus st_hochberg(const double *p, size_t m, double *adj);

/* Benjamini and Hochberg 1995: false discovery rate. */
StStatus st_bh(const double *p, size_t m, double *adj);

#endif
