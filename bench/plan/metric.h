/* Metrics of metrics.def: one number per run and whole validation, by name. bench/store/metrics.c computes them. */
#ifndef BENCH_PLAN_METRIC_H
#define BENCH_PLAN_METRIC_H

#include "base/error.h"

typedef enum {
#define METRIC(key, better, digits, matters, measure, reads, uniform, heading, macro, help) METRIC_##key,
#include "bench/plan/metrics.def"
#undef METRIC
    METRIC_COUNT
} Metric;

/* Steps before a number against which z > 6 makes it a spike. */
enum { METRIC_SPIKE_WINDOW = 128 };

typedef struct {
    const char *key, *help;
    const char *reads;   /* a row of curves.def or of models/probes.def, or "" */
    const char *heading; /* of a row on the terminal */
    const char *macro;   /* name in LaTeX macros, letters only */
    int better, digits;
    double matters; /* a difference below it does not, where no margin is named */
} MetricInfo;
extern const MetricInfo metric_info[METRIC_COUNT];

/* Find the metric called name; RC_USAGE names the nearest. */
Rc metric_find(Metric *out, const char *name, Error *e);
/* Find a metric also by its macro's name, in any case: "loss", "ppl". */
Rc metric_named(Metric *out, const char *name, Error *e);

#endif
