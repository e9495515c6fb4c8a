/* Compute the metrics of metrics.def. */
#ifndef BENCH_STORE_METRICS_H
#define BENCH_STORE_METRICS_H

#include "bench/plan/experiment.h"
#include "bench/store/record.h"

/* A whole validation at `step`: its sums over all targets, and the run's curves until then. */
typedef struct {
    double nll; /* sum in nats */
    long count, hits;
    size_t bytes; /* bytes of the targets */
    const Curves *curves;
    RoundedRun rounded; /* counts of the steps until then */
    int step;
} Validation;

/* Compute all metrics; NaN for one that does not apply: no step done yet, too few blocks, a number that is not finite.
 * */
void metrics_measure(double metric[METRIC_COUNT], const Validation *v);

/* Return the added (not usual) probe that a metric needs; PROBE_COUNT: none. A record omits a metric whose added probe
 * was not measured, so that its text equals that of a run from before the metric existed. */
ProbeKind metric_added(Metric m);
bool metric_asked(Metric m, const ProbeChoice *asked); /* true: no added probe, or one in `asked` */
bool metric_quantized(Metric m);                       /* true: a cost of eight bits, measured with quantize: true */
/* Return true for a metric that no record holds: it is made of a record's curves. */
bool metric_of_curves(Metric m);
/* Make it; NaN: the curves lack its rows. */
double metric_made(Metric m, const RunRecord *r, int step);
/* Return true if an experiment's runs measure a metric: its probes, or the cost of eight bits, are asked for; one that
 * is made of curves only where a table names it. */
bool metric_measured(Metric m, const Experiment *x);
void metrics_absent(bool absent[METRIC_COUNT], const Curves *c);

/* Return a curve's metric after the first update, even if the run diverged; NaN: it has no curve or was not measured.
 * */
double metric_first(Metric m, const Curves *c);

/* Return true if the run's curves lack what the metric needs: its probe, in older or thinned curves, or the steps after
 * the first, which an archive leaves out (bench/store/archive.h, without_curves). */
bool metric_lacking(Metric m, const RunRecord *r);

/* Return the value of a diverged run: the uniform predictor's, or NaN if a metric has none. */
double metric_uniform(Metric m, const RunRecord *r);
bool metric_has_uniform(Metric m); /* whether a diverged run counts as something */

#endif
