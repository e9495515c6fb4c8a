/* Grid metrics: numbers of an arm and seed over all runs that differ only in their rate. See grids.def. */
#ifndef BENCH_PLAN_GRID_H
#define BENCH_PLAN_GRID_H

#include "base/error.h"

typedef enum {
    GRID_none,
#define GRID(key, better, matters, help) GRID_##key,
#include "bench/plan/grids.def"
#undef GRID
    GRID_COUNT
} GridMetric;

typedef struct {
    const char *key, *help;
    int better;
    double matters;
} GridInfo;

extern const GridInfo grid_info[GRID_COUNT]; /* GRID_none's is empty */

/* Find a row by its key. RC_USAGE: there is none. */
Rc grid_find(GridMetric *out, const char *key, Error *e);

#endif
