#include "bench/plan/metric.h"

#include <strings.h>

#include "base/names.h"
#include "bench/plan/grid.h"

const MetricInfo metric_info[METRIC_COUNT] = {
#define METRIC(key, better, digits, matters, measure, reads, uniform, heading, macro, help) \
    [METRIC_##key] = {#key, help, reads, heading, macro, better, digits, matters},
#include "bench/plan/metrics.def"
#undef METRIC
};

Rc metric_find(Metric *out, const char *name, Error *e) {
    int m = name_find(NAMES(metric_info, METRIC_COUNT), name);
    if (m >= 0) return *out = (Metric)m, RC_OK;
    GridMetric grid;
    if (!grid_find(&grid, name, e))
        return error_set(e, RC_USAGE,
                         "%s: it is made of the runs of a sweep over lr, for claims and summaries; a metric is of one "
                         "run",
                         name);
    error_set(e, RC_USAGE, "unknown metric '%.60s'", name);
    return name_unknown(e, name, NAMES(metric_info, METRIC_COUNT), "there are");
}

Rc metric_named(Metric *out, const char *name, Error *e) {
    for (int m = 0; m < METRIC_COUNT; m++) {
        if (strcasecmp(name, metric_info[m].macro) != 0) continue;
        *out = (Metric)m;
        return RC_OK;
    }
    return metric_find(out, name, e);
}
