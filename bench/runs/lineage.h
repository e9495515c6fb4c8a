/* Lineage: from a number of a table to the runs that it was made of: for one difference between two arms the values of
 * both runs of every seed, how often flipped signs are as extreme, the verdict, and the commits that made the runs. All
 * numbers are those of the table's own comparison (bench/verdict/paired.h); none is made again. */
#ifndef BENCH_RUNS_LINEAGE_H
#define BENCH_RUNS_LINEAGE_H

#include <jansson.h>

#include "bench/run/history.h"
#include "bench/write/table.h"

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
    bool turned;                           /* the table has the difference the other way round, and so has this */
    Family own;                            /* of LINEAGE_ALONE */
    Written written[LINEAGE_WRITTEN_MAX];  /* since when there are the plan and the claims that this decides */
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
