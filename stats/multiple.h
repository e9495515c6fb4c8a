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

/* Holm over groups: p's that are adjusted within their group already, by whatever keeps its family-wise error, become
 * p's of one family over all groups, under any dependence between them. A group may spend alpha over the number of
 * groups that are not rejected as a whole (sequentially rejective; Goeman and Solari 2010): every p counts that many
 * times, and one time less for each other group whose largest p, so counted, is rejected. Groups of one p: st_holm; one
 * group: p as it is. group: [m] numbers from 0; a group with a NaN is never rejected as a whole. */
StStatus st_holm_groups(const double *p, const size_t *group, size_t m, double *adj);

/* Hochberg 1988, step-up: family-wise error for independent or positively dependent p. */
StStatus st_hochberg(const double *p, size_t m, double *adj);

/* Benjamini and Hochberg 1995: false discovery rate. */
StStatus st_bh(const double *p, size_t m, double *adj);

#endif
