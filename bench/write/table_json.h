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
 *   COMPARISON:  {cell, step, metric, terms: [{arm, weight, runs: []}], d: [], status, ... as `compare` has it
 *                 (bench/write/stat_json.h), perplexity_ratio}
 *   VERDICT:     {claim, says, source, verdict, words, why?, metric, test, expects, side_claimed?, margin?, reported?,
 *                 cell, side_found?, step, n, effect, lo, hi, reported_effect, p_decides, floor, comparison,
 *                 own_size?, seeds_wanted?, replication?: {se, reported_se, df, lo, hi, inside, agrees},
 *                 targets? (bench/write/claims.h)}
 *
 * A verdict's `comparison` is a place in claims.family.at. The functions give parts of it, each a new reference. */
#ifndef BENCH_WRITE_TABLE_JSON_H
#define BENCH_WRITE_TABLE_JSON_H

#include <jansson.h>

#include "bench/write/stat_json.h"
#include "bench/write/table.h"

enum { TABLE_SCHEMA = 3 };

/* [{commit, runs}]: the commits that the program was built from when it made the table's runs. */
json_t *json_records_made_by(const Table *t);

/* {alpha, n, comparisons, floor, joint: {…}, at: [comparison …]} */
json_t *json_family(const Table *t, const Family *f);

/* Every statistic of one comparison: exact p's as {p, count, total}. */
json_t *json_comparison(const Table *t, const Family *f, const Comparison *c);

/* One verdict of the table's ledger. */
json_t *json_verdict(const Table *t, const ClaimVerdict *v);

/* title, and author, date and url where they are known. */
void json_put_writeup(json_t *o, const ClaimFile *f);

/* {file, family, verdicts: […]}, or null without claims. */
json_t *json_claims(const Table *t);

#endif
