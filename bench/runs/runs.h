/* Stored runs for a terminal and as JSON: the list of them, and one of them whole; what they decide, for `run`. */
#ifndef BENCH_RUNS_RUNS_H
#define BENCH_RUNS_RUNS_H

#include <jansson.h>

#include "bench/run/history.h"
#include "bench/store/listing.h"
#include "bench/store/session.h"
#include "bench/verdict/until.h"
#include "bench/write/table.h"

enum { RUNS_SCHEMA = 2, RUN_SCHEMA = 1 };

/* A table for each plan: what it is, how many of its runs are stored, and a row for each run of the listing. A key is a
 * column where runs of one arm differ in it. empty: also plans of which the listing holds no run. */
void runs_text(const Listing *l, bool empty, int width, Text *out);

/* {schema, made_by, commit, groups: [{experiment, profile, options, plan, planned, stored, runs: [{arm, valid_loss, id,
 *  label, variant, seed, status, diverged_step, culprit, step, class, records_commit, made, keys: {…}}]}]}
 * keys: those that are not at their default; null: there is none. New reference. */
json_t *runs_json(const Listing *l, bool empty);

/* arm, the keys in which runs of an arm differ, seed, status, valid_loss (of the last validation; nan: it diverged),
 * loss_chain, parameters_hash, id; a line per run. RC_USAGE: they are of several plans; RC_UNMEASURED: there is
 * none. */
Rc runs_csv(const Listing *l, Text *out, Error *e);

/* Where a run stands among the plans. */
typedef struct {
    const RunRecord *record; /* whole, with its curves */
    const Listing *listing;  /* of all runs */
} RunShown;

/* Identity, what it was trained with, how it ended, its metrics, a curve of its loss, who made it, its files. */
void run_text(const RunShown *r, int width, Text *out);

/* {schema, made_by, commit, id, plans: [{experiment, profile, plan, arm, label,
 *  written: {what, commit, date}}], variant, seed, status, changed:
 * {KEY: value}
 *  (not at their default), spec: {KEY: value}, class, arithmetic, dataset, …, evaluations: [{step, METRIC: …}], curve:
 *  {step: [], train_loss: [], valid_loss: [], grad_norm: []}, provenance: {…}, files: []}. New reference. */
json_t *run_json(const RunShown *r);

/* A text curve of width x height characters: '*' what was measured at every step, averaged over the steps of a column;
 * 'o' what was measured now and then. No line when nothing finite was measured. */
void curve_text(const Curves *c, const CurveInfo *often, const CurveInfo *seldom, int width, int height, Text *out);

/* ---- What a run that is whole has found, in one sentence ---- */

/* Prints it; nothing where runs are missing, nothing is compared, or there are several cells without a summary. */
void run_found(const Session *s, const Experiment *x);

/* ---- run --until-decided: how many seeds an experiment still wants, by its stored records alone
 * (bench/verdict/until.h), so that every process that trains it says the same ---- */

typedef struct {
    const Session *s;
    const Experiment *x;
    int whole; /* of the last answer */
} UntilAsks;

/* RunnerOptions.seeds with an UntilAsks: a line on where every primary comparison stands. */
int until_wanted(void *asks, int whole, Text *words, Error *e);

/* ---- Lineage: from a number of a table to the runs that it was made of: for one difference between two arms the
 * values of both runs of every seed, how often flipped signs are as extreme, the verdict, and the commits that made the
 * runs. All numbers are those of the table's own comparison (bench/verdict/paired.h); none is made again ---- */

enum { LINEAGE_SCHEMA = 2, LINEAGE_WRITTEN_MAX = 9 };

typedef struct {
    const Table *t;
    const Family *family; /* that the comparison is adjusted in */
    const Comparison *c;
    enum {
        LINEAGE_TABLE,  /* a line of the table's comparisons */
        LINEAGE_CLAIMS, /* one of those that the write-up's claims make */
        LINEAGE_ALONE   /* in no table: made here, adjusted for nothing */
    } of;
    bool turned;                          /* the table has the difference the other way round, and so has this */
    Family own;                           /* of LINEAGE_ALONE */
    Written written[LINEAGE_WRITTEN_MAX]; /* since when there are the plan and the claims that this decides */
    int written_count;
} Lineage;

/* arm minus against at a cell's step (an index into its steps), by a metric; t outlives the lineage. root: of the
 * checkout, whose git history is asked. */
void lineage_make(Lineage *l, const Table *t, const char *root, int cell, int step, Metric metric, int arm,
                  int against);
void lineage_release(Lineage *l);

void lineage_text(const Lineage *l, int width, Text *out);

const char *lineage_run(const Lineage *l); /* the id of the first run in it */

/* {schema, made_by, commit, experiment, profile, plan, results, exploratory, class?, factors, step, metric, of: table |
 *  claims | alone, arms: [{arm, label}], runs: [{seed, difference, and of both arms run, value, raw (of one that
 *  diverged), diverged and records_commit, as first_run, second_run and so on}], comparison: COMPARISON of
 *  bench/write/stat_json.h, targets? (bench/write/claims.h), comparisons, flips, floor, verdict, claims: [VERDICT of
 *  bench/write/stat_json.h], records: [{commit, runs}] of the whole table, written: [{what, commit, date}]}. New
 *  reference. */
json_t *lineage_json(const Lineage *l);

#endif
