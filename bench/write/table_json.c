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
        json_t *one = json_new("seed", t->x->seed[seed], "run", run->record->id, "value", run->value[m]);
        if (run->diverged) json_add(one, "raw", run->raw[m]);
        json_array_append_new(runs, one);
    }
    json_add(o, "status", st_status_text(a.status));
    if (a.status == ST_OK)
        json_add(o, "mean", a.mean, "sd", a.sd, "median", a.median, "least", a.least, "most", a.most);
    json_add(o, "survivors_mean", a.diverged ? json_known(a.survivors) : NULL);
    if (number)
        json_add(o, "reported",
                 json_new("text", number->text, "value", number->value, "source",
                          json_sprintf("%s:%d", t->claims->file, number->line)));
    return json_add(o, "runs", runs);
}

static json_t *arm_json(const Table *t, int cell, int step, int arm) {
    SampleArm a = sample_arm(&t->sample, cell, step, arm, t->metric);
    json_t *metrics = json_object();
    for (int m = 0; m < METRIC_COUNT; m++)
        if (metric_measured((Metric)m, t->x))
            json_add(metrics, metric_info[m].key, metric_json(t, cell, step, arm, (Metric)m));
    return json_new("arm", t->x->arm[arm].name, "label", t->x->arm[arm].label, "diverged",
                    json_new("k", a.diverged, "n", a.n, "lo", a.rate.lo, "hi", a.rate.hi), "above_ln_v", a.above,
                    "stalled", a.stalled, "tied_with_best", table_tied(t, cell, step, arm), "metrics", metrics);
}

static json_t *cell_json(const Table *t, int cell) {
    json_t *o = json_object(), *steps = json_array();
    LOCAL_TEXT(words);
    char where[256], why[CLAIM_WHY_SIZE];
    table_corpus(t, cell, &words);
    table_reported_why(t, cell, why, sizeof why);
    json_add(o, "factors", experiment_cell_text(where, t->x, cell), "corpus", words.at);
    if (why[0]) json_add(o, "reported_not_shown", why);
    for (int step = 0; step < t->sample.cell[cell].steps; step++) {
        json_t *arms = json_array();
        for (int arm = 0; arm < t->sample.arms; arm++) json_array_append_new(arms, arm_json(t, cell, step, arm));
        json_array_append_new(steps, json_new("step", t->sample.cell[cell].step[step], "arms", arms));
    }
    json_add(o, "steps", steps);
    return o;
}

json_t *json_records_made_by(const Table *t) {
    MadeBy made[MADE_BY_MAX];
    int runs = t->sample.cells * t->sample.arms * t->sample.seeds;
    OWNED const RunRecord **r = mem_alloc((size_t)runs, sizeof *r);
    json_t *list = json_array();
    for (int i = 0; i < runs; i++) r[i] = &t->records[i];
    int commits = records_made_by(made, r, runs);
    for (int i = 0; i < commits; i++)
        json_array_append_new(list, json_pack("{s:s, s:i}", "commit", made[i].commit, "runs", made[i].runs));
    return list;
}

static json_t *head_json(const Table *t) {
    LOCAL_TEXT(words);
    json_t *o = json_begin(TABLE_SCHEMA);
    const RunRecord *r = t->records;
    json_add(o, "records", json_records_made_by(t), "experiment", t->x->name, "profile", t->x->profile, "title",
             t->x->title, "writeup", t->x->writeup, "plan", t->x->plan, "results", t->results_hash, "command",
             t->options.command);
    table_signature(t, &words);
    json_add(o, "signature", words.at);
    text_clear(&words);
    table_methods(t, &words);
    json_add(o, "methods", words.at, "exploratory", t->exploratory);
    if (t->partial) json_add(o, "partial", t->options.partial);
    json_add(o, "summaries", summaries_json(t), "synthetic", t->synthetic, "dataset", r->dataset, "dataset_sha256",
             r->dataset_sha256, "vocabulary", r->vocab, "entropy_rate", r->entropy_rate, "unigram_loss", r->unigram,
             "baseline", t->x->baseline);
    return json_add(o, "metric", metric_info[t->metric].key, "alpha", t->x->alpha, "margin", t->x->margin, "seeds",
                    json_wholes(t->x->seed, (size_t)t->sample.seeds));
}

void table_json(const Table *t, Text *out) {
    json_t *o = head_json(t), *cells = json_array();
    for (int cell = 0; cell < t->sample.cells; cell++) json_array_append_new(cells, cell_json(t, cell));
    json_add(o, "cells", cells, "family", json_family(t, &t->family), "claims", json_claims(t));
    json_print(o, JSON_EXACT, out);
}

void table_cost_json(const Table *t, Text *out) {
    json_t *o = json_begin(0);
    json_add(o, "records", json_records_made_by(t), "experiment", t->x->name, "profile", t->x->profile, "plan",
             t->x->plan, "results", t->results_hash, "note",
             "measured times: they differ from machine to machine and from run to run");
    for (int kind = 0; kind < summary_count; kind++)
        if (summary_rows[kind].measured)
            json_add(o, summary_rows[kind].name, cells_json(&table_summary(t, kind)->at[0]));
    json_print(o, JSON_EXACT, out);
}
