/* The metrics of metrics.def, measured. */
#ifndef BENCH_STORE_METRICS_H
#define BENCH_STORE_METRICS_H

#include "bench/plan/experiment.h"
#include "bench/store/record.h"

/* A whole validation at `step`: its sums over all targets, and what the run's curves say until then. */
typedef struct {
    double nll; /* nats */
    long count, hits;
    size_t bytes; /* of the targets */
    const Curves *curves;
    RoundedRun rounded; /* by the steps until then */
    int step;
} Validation;

/* All of them; NaN where one does not apply: no step done yet, too few blocks, a number that is not finite. */
void metrics_measure(double metric[METRIC_COUNT], const Validation *v);

/* The added probe (not a usual one) that a metric is made of; PROBE_COUNT: none. A record leaves a metric out whose
 * added probe the run did not measure, so that its text is that of a run before there was the metric. */
ProbeKind metric_added(Metric m);
bool metric_asked(Metric m, const ProbeChoice *asked); /* no added probe, or one that is asked for */
/* Whether an experiment's runs measure a metric at all: their probes are asked for, and so is what eight bits cost. */
bool metric_measured(Metric m, const Experiment *x);
void metrics_absent(bool absent[METRIC_COUNT], const Curves *c);

/* A metric of the curves as it is after the first update, whatever became of the run; NaN: of no curve, or not
 * measured. */
double metric_first(Metric m, const Curves *c);

/* Whether the run did not measure the probe that the metric is made of: its curves are older, or thinned. */
bool metric_lacking(Metric m, const RunRecord *r);

/* What a diverged run counts as: the uniform predictor's value, or NaN when a metric has none. */
double metric_uniform(Metric m, const RunRecord *r);

#endif
