/* Statistics as JSON objects, one name for one number wherever it is written: tables, claims, compare.
 *
 * Every object has a "status"; when it is not "ok" the numbers that could not be made are left out. A number that is
 * not finite is a string. A p that is a share of cases comes with its exact count and total. */
#ifndef BENCH_WRITE_STAT_JSON_H
#define BENCH_WRITE_STAT_JSON_H

#include <jansson.h>

#include "base/text.h"
#include "bench/formats/json.h"
#include "bench/verdict/paired.h"
#include "bench/write/table.h"

/* {schema, made_by, commit}: the program that writes, and the commit that it was built from. schema: 0: it has none. */
json_t *json_begin(int schema);

json_t *json_status(StStatus status);                         /* {status} */
json_t *json_share(double p, uint64_t count, uint64_t total); /* {p, count, total} */
json_t *json_t_interval(const StTci *t);
json_t *json_tost(const StTost *x, double margin);

/* {status, confidence, lo, hi, alone_lo, alone_hi}: of all comparisons jointly, and of this one. */
json_t *json_flip_interval(const Family *f, const Comparison *c);

/* Who asks: how decisions are called, and what is known. */
typedef struct {
    const void *of;
    void (*words)(const void *of, const Comparison *c, Decision d, Text *out); /* a sentence */
    const char *(*code)(const void *of, Decision d);
    bool blocks;          /* runs were evaluated by blocks of the text */
    double margin;        /* NaN: none */
    const char *withheld; /* status of intervals where a run diverged; NULL: they are shown */
} ComparisonJson;

/* Fills o: the head, every statistic that the family computed, the tail. */
void comparison_json(json_t *o, const Family *f, const Comparison *c, const ComparisonJson *j);

/* {decision, verdict, diverged_arm, diverged_baseline, intervals_decide}; {decision_on_ranks, verdict_on_ranks,
 * decision_with_cap?}. */
void comparison_json_head(json_t *o, const Comparison *c, const ComparisonJson *j);
void comparison_json_tail(json_t *o, const Comparison *c, const ComparisonJson *j);

/* Parts; each a new reference. */
json_t *json_not_made(const char *why);                 /* {status: why} */
json_t *json_with_floor(json_t *o, double floor);       /* beside a p: the smallest there can be; returns o */
json_t *json_chance(const StChance *x);
json_t *json_variance(const StVariance *v, const char *statistic);
void json_put_fisher(json_t *o, const Comparison *c);

/* What the posterior supposes, as a sentence. */
extern const char comparison_prior[];

/* NAME.json, schema 3; its names are stable. NaN and infinities are strings; a statistic that could not be made is
 * {"status": why} with what is known of it. Below, ... stands for fields that name themselves.
 *
 *   {schema, made_by, commit, records: [{commit, runs}], experiment, profile, plan, results, command, signature,
 *    methods, exploratory, synthetic, summaries: {SUMMARY: [{table, title, rows}]}, ...
 *    cells: [{factors, corpus, reported_not_shown?, steps: [{step, arms: [ARM]}]}],
 *    family: {alpha, n, comparisons, floor, exact, flips, at: [COMPARISON]},
 *    claims: null | {file, writeup, title, author?, date?, url?, source, verdicts: [VERDICT], family}}
 *
 *   ARM:         {arm, label, diverged: {k, n, lo, hi}, above_ln_v, stalled, tied_with_best,
 *                 metrics: {METRIC: {status, mean, sd, median, least, most, survivors_mean?,
 *                                    reported?: {text, value, source: "file:line"},
 *                                    runs: [{seed, run, value, raw?}]}}}
 *   COMPARISON:  {cell, step, metric, terms: [{arm, weight, runs: [], rates?: [], grid?: []}], d: [], status, ... as
 *                 `compare` has it (bench/write/stat_json.h), perplexity_ratio}; of an arm at its best rate `rates`
 *                 are those chosen for each seed, whose runs are named, and `grid` what they were chosen from
 *   VERDICT:     {claim, says, source, verdict, words, why?, metric, test, expects, side_claimed?, margin?, reported?,
 *                 cell, side_found?, step, n, effect, lo, hi, reported_effect, p_decides, floor, comparison,
 *                 own_size?, seeds_wanted?, replication?: {se, reported_se, df, lo, hi, inside, agrees},
 *                 targets? (bench/write/claims.h)}
 *
 * A verdict's `comparison` is a place in claims.family.at. The functions give parts of it, each a new reference. */

enum { TABLE_SCHEMA = 3 };

/* [{commit, runs}]: the commits that the program was built from when it made the table's runs. */
json_t *json_records_made_by(const Table *t);

/* Every statistic of one comparison: exact p's as {p, count, total}. */
json_t *json_comparison(const Table *t, const Family *f, const Comparison *c);

/* One verdict of the table's ledger. */
json_t *json_verdict(const Table *t, const ClaimVerdict *v);

/* title, and author, date and url where they are known. */
void json_put_writeup(json_t *o, const ClaimFile *f);

#endif
