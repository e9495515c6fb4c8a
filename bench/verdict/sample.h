/* Sample: the numbers of an experiment's runs, by cell, arm, evaluation step and seed. No run is ever dropped.
 *
 * Every step is read as if the run had ended there, so the rows of step 150 are those that runs of 150 steps give.
 * A run counts as diverged by a step when it met a non-finite number up to it, or when its whole-validation loss there
 * is above ln V (the uniform predictor's) and not below its own first one. It then scores as the uniform predictor. A
 * loss above ln V that did fall (unit-scale tied embeddings start far above it) is only marked: its raw number counts.
 */
#ifndef BENCH_VERDICT_SAMPLE_H
#define BENCH_VERDICT_SAMPLE_H

#include "bench/plan/experiment.h"
#include "bench/store/metrics.h"
#include "stats/counts.h"
#include "stats/status.h"

enum { SAMPLE_STEPS_MAX = 64 };

/* One run at one step. */
typedef struct {
    const RunRecord *record;
    double raw[METRIC_COUNT];   /* as measured; NaN: not measured */
    double value[METRIC_COUNT]; /* raw, or the uniform predictor's for a diverged run; NaN where it has none */
    bool diverged, above;       /* see the head of this file; never both */
    bool stalled;               /* raw loss not below the unigram model's by 0.05 nats, or none: a diverged run too */
} SampleRun;

/* The whole validations that all arms of a cell share, step 0 included when they have it. */
typedef struct {
    int steps, step[SAMPLE_STEPS_MAX];
    SampleRun *run; /* [steps][arms][seeds] */
} SampleCell;

typedef struct {
    const Experiment *x;
    SampleCell *cell; /* [cells] */
    int cells, arms, seeds, baseline;
} Sample;

/* records: [cells][arms][seeds], as records_take (bench/store/store.h) gives; they outlive the sample. RC_INTEGRITY: a
 * record of another seed; RC_UNMEASURED: a run that neither failed nor has a validation it should have. */
Rc sample_make(Sample *s, const Experiment *x, const RunRecord *records, Error *e);
void sample_release(Sample *s);

/* Keep those of at[n], n < 0: of all steps, at which a run of the spec is validated; return how many. */
int sample_common_steps(const RunSpec *s, int at[SAMPLE_STEPS_MAX], int n);

/* step: index into the cell's steps. */
const SampleRun *sample_run(const Sample *s, int cell, int step, int arm, int seed);

/* The index of a step in a cell, or -1. */
int sample_step(const Sample *s, int cell, int step);

/* One arm at one step, over seeds. */
typedef struct {
    int n, diverged, above, stalled; /* stalled: not those that diverged */
    bool lacking; /* some run did not measure it */
    StStatus status; /* of mean, sd, median, least, most: ST_NONFINITE_INPUT when some value is not finite */
    double mean, sd; /* sd: divisor n - 1, NaN for n = 1 */
    double median, least, most;
    double survivors; /* mean of the runs that did not diverge; NaN: none, or all survived */
    StCp rate;        /* diverged k of n with its Clopper-Pearson interval */
} SampleArm;

/* Of any n runs: value: what each counts as, also a diverged one. */
SampleArm runs_summary(const double *value, const bool *diverged, int n);
SampleArm sample_arm(const Sample *s, int cell, int step, int arm, Metric metric);

/* Hash of what the runs measured (never of how long they took): ids, status, loss chains, parameters, evaluations. */
void sample_hash(const Sample *s, const RunRecord *records, char out[SHA256_HEX]);

#endif
