/* Plan: an experiment's runs with their ids, and which of them already stand in results/runs. */
#ifndef BENCH_PLAN_H
#define BENCH_PLAN_H

#include "bench/record.h"
#include "bench/session.h"

typedef struct {
    RunSpec spec;
    const Dataset *data;
    char id[SHA256_HEX], arithmetic[SHA256_HEX];
    int cell, arm, seed; /* indices into the experiment */
    bool done;           /* results/runs/<id> is whole */
    char why[160];       /* of a run that is to be trained: why it does not count as done */
} PlannedRun;

typedef struct {
    PlannedRun *run; /* cells x arms x seeds, in this order */
    int runs, missing;
} Plan;

/* RC_INTEGRITY: a run's folder is there but damaged; the line names the file and says what to do. */
Rc plan_make(Plan *p, Session *s, const Experiment *x, Error *e);
void plan_release(Plan *p);

/* Fills `why` of the missing runs; reads every stored record. */
void plan_explain(Plan *p, const Session *s);

/* Bytes that the largest of the missing runs takes; *of: which one, 0 when none is missing. */
double plan_bytes(const Plan *p, const Backend *backend, int *of);

/* Index of (cell, arm, seed). */
const PlannedRun *plan_at(const Plan *p, const Experiment *x, int cell, int arm, int seed);

/* All records of the plan, [p->runs]; a missing or unreadable one is an error that says how to make it
 * (RC_UNMEASURED when runs are missing: "12 of 24 runs are missing: normbench run …"). Freed by plan_records_free. */
Rc plan_records(const Plan *p, const Session *s, const Experiment *x, RunRecord **out, Error *e);
void plan_records_free(const Plan *p, RunRecord *records);

#endif
