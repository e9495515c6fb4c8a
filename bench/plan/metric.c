#include "bench/plan/metric.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "bench/plan/grid.h"

const MetricInfo metric_info[METRIC_COUNT] = {
#define METRIC(key, better, digits, matters, measure, reads, uniform, header, heading, tex, macro, help) \
    [METRIC_##key] = {#key, help, reads, header, heading, tex, macro, better, digits, matters},
#include "bench/plan/metrics.def"
#undef METRIC
};

Rc metric_find(Metric *out, const char *name, Error *e) {
    const char *names[METRIC_COUNT];
    char hint[96];
    for (int m = 0; m < METRIC_COUNT; m++) {
        names[m] = metric_info[m].key;
        if (strcmp(name, names[m]) != 0) continue;
        *out = (Metric)m;
        return RC_OK;
    }
    GridMetric grid;
    if (!grid_find(&grid, name, e))
        return error_set(e, RC_USAGE,
                         "%s: it is made of the runs of a sweep over lr, for claims and summaries; a metric is of one "
                         "run",
                         name);
    error_set(e, RC_USAGE, "unknown metric '%.60s'%s", name,
              did_you_mean(hint, sizeof hint, name, names, METRIC_COUNT));
    for (int m = 0; m < METRIC_COUNT && !hint[0]; m++) {
        size_t n = strlen(e->text);
        snprintf(e->text + n, sizeof e->text - n, "%s%s", m ? ", " : "; there are: ", names[m]);
    }
    return e->code;
}

Rc metric_named(Metric *out, const char *name, Error *e) {
    for (int m = 0; m < METRIC_COUNT; m++) {
        if (strcasecmp(name, metric_info[m].macro) != 0) continue;
        *out = (Metric)m;
        return RC_OK;
    }
    return metric_find(out, name, e);
}
