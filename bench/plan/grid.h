/* Grid metrics: numbers of an arm and seed over all the runs that differ in their rate alone. See grids.def. */
#ifndef BENCH_PLAN_GRID_H
#define BENCH_PLAN_GRID_H

#include "base/error.h"

typedef enum {
    GRID_none,
#define GRID(key, better, digits, matters, unit, help) GRID_##key,
#include "bench/plan/grids.def"
#undef GRID
    GRID_COUNT
} GridMetric;

typedef struct {
    const char *key;
    int better, digits;
    double matters;
    const char *unit, *help;
} GridInfo;

extern const GridInfo grid_info[GRID_COUNT]; /* that of GRID_none is empty */

/* RC_USAGE: no such row. */
Rc grid_find(GridMetric *out, const char *key, Error *e);

#endif
