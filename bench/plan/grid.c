#include "bench/plan/grid.h"

#include <string.h>

const GridInfo grid_info[GRID_COUNT] = {
#define GRID(key, better, matters, help) [GRID_##key] = {#key, help, better, matters},
#include "bench/plan/grids.def"
#undef GRID
};

Rc grid_find(GridMetric *out, const char *key, Error *e) {
    for (int i = GRID_none + 1; i < GRID_COUNT; i++)
        if (!strcmp(key, grid_info[i].key)) return *out = (GridMetric)i, RC_OK;
    return error_set(e, RC_USAGE, "unknown grid metric '%.60s'", key);
}
