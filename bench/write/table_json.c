/* NAME.json: everything the tables say and everything they rest on. */
#include "bench/write/table_json.h"

#include <math.h>
#include <stdlib.h>

#include "bench/formats/json.h"
#include "bench/store/provenance.h"
#include "bench/write/summaries.h"

/* One metric of an arm at a step: its runs, what they sum up to, and what the write-up reports. */
static json_t *metric_json(const Table *t, int cell, int step, int arm, Metric m) {
    const ReportedNumber *number = table_reported_number(t, cell, step, arm, metric_info[m].key);
    SampleArm a = sample_arm(&t->sample, cell, step, arm, m);
    json_t *o = json_object(), *runs = json_array();
    for (int seed = 0; seed < t->sample.seeds; seed++) {
        const SampleRun *run = sample_run(&t->sample, cell, step, arm, seed);
        json_t *one = json_object();
        json_object_set_new(one, "seed", json_integer((json_int_t)t->x->seed[seed]));
        json_put_text(one, "run", run->record->id);
        json_put(one, "value", run->value[m]);
        if (run->diverged) json_put(one, "raw", run->raw[m]);
        json_array_append_new(runs, one);
    }
    json_put_text(o, "status", st_status_text(a.status));
    if (a.status == ST_OK) {
        json_put(o, "mean", a.mean), json_put(o, "sd", a.sd), json_put(o, "median", a.median);
        json_put(o, "least", a.least), json_put(o, "most", a.most);
    }
    if (a.diverged && !isnan(a.survivors)) json_put(o, "survivors_mean", a.survivors);
    if (number) {
        json_t *reported = json_object();
        json_put_text(reported, "text", number->text);
        json_put(reported, "value", number->value);
        json_object_set_new(reported, "source", json_sprintf("%s:%d", t->claims->file, number->line));
        json_object_set_new(o, "reported", reported);
    }
    json_object_set_new(o, "runs", runs);
    return o;
}

static json_t *rate_json(const SampleArm *a) {
    json_t *o = json_object();
    json_object_set_new(o, "k", json_integer(a->diverged));
    json_object_set_new(o, "n", json_integer(a->n));
    json_put(o, "lo", a->rate.lo), json_put(o, "hi", a->rate.hi);
    return o;
}

static json_t *arm_json(const Table *t, int cell, int step, int arm) {
    SampleArm a = sample_arm(&t->sample, cell, step, arm, t->metric);
    json_t *o = json_object(), *metrics = json_object();
    json_put_text(o, "arm", t->x->arm[arm].name);
    json_put_text(o, "label", t->x->arm[arm].label);
    json_object_set_new(o, "diverged", rate_json(&a));
    json_object_set_new(o, "above_ln_v", json_integer(a.above));
    json_object_set_new(o, "stalled", json_integer(a.stalled));
    json_object_set_new(o, "tied_with_best", json_boolean(table_tied(t, cell, step, arm)));
    for (int m = 0; m < METRIC_COUNT; m++)
        if (metric_measured((Metric)m, t->x))
            json_object_set_new(metrics, metric_info[m].key, metric_json(t, cell, step, arm, (Metric)m));
    json_object_set_new(o, "metrics", metrics);
    return o;
}

static json_t *cell_json(const Table *t, int cell) {
    json_t *o = json_object(), *steps = json_array();
    Text words;
    char where[256], why[CLAIM_WHY_SIZE];
    text_init(&words);
    table_corpus(t, cell, &words);
    table_reported_why(t, cell, why, sizeof why);
    json_put_text(o, "factors", experiment_cell_text(where, t->x, cell));
    json_put_text(o, "corpus", words.at);
    if (why[0]) json_put_text(o, "reported_not_shown", why);
    for (int step = 0; step < t->sample.cell[cell].steps; step++) {
        json_t *s = json_object(), *arms = json_array();
        for (int arm = 0; arm < t->sample.arms; arm++) json_array_append_new(arms, arm_json(t, cell, step, arm));
        json_object_set_new(s, "step", json_integer(t->sample.cell[cell].step[step]));
        json_object_set_new(s, "arms", arms);
        json_array_append_new(steps, s);
    }
    json_object_set_new(o, "steps", steps);
    text_release(&words);
    return o;
}

json_t *json_records_made_by(const Table *t) {
    MadeBy made[MADE_BY_MAX];
    int runs = t->sample.cells * t->sample.arms * t->sample.seeds;
    const RunRecord **r = mem_alloc((size_t)runs, sizeof *r);
    json_t *list = json_array();
    for (int i = 0; i < runs; i++) r[i] = &t->records[i];
    int commits = records_made_by(made, r, runs);
    for (int i = 0; i < commits; i++)
        json_array_append_new(list, json_pack("{s:s, s:i}", "commit", made[i].commit, "runs", made[i].runs));
    free(r);
    return list;
}

static void head_json(const Table *t, json_t *o) {
    Text words;
    json_t *seeds = json_array();
    const RunRecord *r = t->records;
    text_init(&words);
    json_object_set_new(o, "schema", json_integer(TABLE_SCHEMA));
    json_put_made_by(o);
    json_object_set_new(o, "records", json_records_made_by(t));
    json_put_text(o, "experiment", t->x->name), json_put_text(o, "profile", t->x->profile);
    json_put_text(o, "title", t->x->title), json_put_text(o, "writeup", t->x->writeup);
    json_put_text(o, "plan", t->x->plan), json_put_text(o, "results", t->results_hash);
    json_put_text(o, "command", t->options.command);
    table_signature(t, &words);
    json_put_text(o, "signature", words.at);
    text_clear(&words);
    table_methods(t, &words);
    json_put_text(o, "methods", words.at);
    json_object_set_new(o, "exploratory", json_boolean(t->exploratory));
    if (t->partial) json_put_text(o, "partial", t->options.partial);
    json_object_set_new(o, "summaries", summaries_json(t));
    json_object_set_new(o, "synthetic", json_boolean(t->synthetic));
    json_put_text(o, "dataset", r->dataset), json_put_text(o, "dataset_sha256", r->dataset_sha256);
    json_object_set_new(o, "vocabulary", json_integer(r->vocab));
    json_put(o, "entropy_rate", r->entropy_rate), json_put(o, "unigram_loss", r->unigram);
    json_put_text(o, "baseline", t->x->baseline), json_put_text(o, "metric", metric_info[t->metric].key);
    json_put(o, "alpha", t->x->alpha), json_put(o, "margin", t->x->margin);
    for (int i = 0; i < t->sample.seeds; i++) json_array_append_new(seeds, json_integer((json_int_t)t->x->seed[i]));
    json_object_set_new(o, "seeds", seeds);
    text_release(&words);
}

void table_json(const Table *t, Text *out) {
    json_t *o = json_object(), *cells = json_array();
    head_json(t, o);
    for (int cell = 0; cell < t->sample.cells; cell++) json_array_append_new(cells, cell_json(t, cell));
    json_object_set_new(o, "cells", cells);
    json_object_set_new(o, "family", json_family(t, &t->family));
    json_object_set_new(o, "claims", json_claims(t));
    json_print(o, JSON_EXACT, out);
}

void table_cost_json(const Table *t, Text *out) {
    json_t *o = json_object();
    json_put_made_by(o);
    json_object_set_new(o, "records", json_records_made_by(t));
    json_put_text(o, "experiment", t->x->name), json_put_text(o, "profile", t->x->profile);
    json_put_text(o, "plan", t->x->plan), json_put_text(o, "results", t->results_hash);
    json_put_text(o, "note", "measured times: they differ from machine to machine and from run to run");
    for (int kind = 0; kind < summary_count; kind++)
        if (summary_rows[kind].measured)
            json_object_set_new(o, summary_rows[kind].name, cells_json(&table_summary(t, kind)->at[0]));
    json_print(o, JSON_EXACT, out);
}
