/* What is fixed before any run: looks at the data on the way. */
#ifndef STATS_DESIGN_H
#define STATS_DESIGN_H

#include "stats/status.h"

/* One look at the data when n seeds are in. t: share of the last look's seeds. spent: error spent
 * up to here, O'Brien and Fleming's 2 (1 - Phi(z_{alpha/2} / sqrt t)) as Lan and DeMets 1983 wrote
 * it. alpha: what this look may use, the increment; used as a level of its own it is a union bound,
 * so never too much. p_floor: the smallest p of the sign-flip test at n. usable: p_floor < alpha.
 */
typedef struct {
    size_t n;
    double t, spent, alpha;
    double p_floor;
    bool usable;
} StLook;

/* n[m], strictly increasing; looks[m]. ST_NOT_REACHABLE: some look could never reject, and its `usable` says which;
 * looks are filled all the same. */
StStatus st_looks(const size_t *n, size_t m, double alpha, StLook *looks);

#endif
