/* NAME.json: everything the tables say and everything they rest on. */
#include <math.h>
#include <string.h>

#include "bench/formats/json.h"
#include "bench/verdict/grid.h"
#include "bench/write/claims.h"
#include "bench/write/stat_json.h"
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
    char why[CLAIM_WHY_SIZE];
    table_corpus(t, cell, &words);
    table_reported_why(t, cell, why, sizeof why);
    json_add(o, "factors", CELL_WHERE(t->x, cell), "corpus", words.at);
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

/* ---- Comparisons and claims as JSON. ---- */

typedef struct {
    const Table *t;
    const Family *f;
} TableAsks;

/* The rate that was chosen for each seed, and those of the grid. */
static void put_rates(const Table *t, const Term *at, json_t *term) {
    size_t n = (size_t)t->sample.seeds;
    double rate[EXPERIMENT_VALUES_MAX];
    OWNED double *chosen = mem_alloc(n, sizeof *chosen);
    int rates = grid_rates(&t->sample, at, chosen, rate);
    json_add(term, "rates", json_numbers(chosen, n), "grid", json_numbers(rate, (size_t)rates));
}

/* What differs from the baseline, seed by seed, and from which runs. */
static json_t *json_contrast(const Table *t, const Comparison *c) {
    json_t *terms = json_array();
    const Contrast *w = &c->what;
    OWNED const SampleRun **run = mem_alloc((size_t)t->sample.seeds, sizeof *run);
    for (int i = 0; i < w->terms; i++) {
        const Term *at = &w->term[i];
        json_t *runs = json_array();
        grid_judged(&t->sample, w, at, run);
        for (int seed = 0; seed < t->sample.seeds; seed++)
            json_array_append_new(runs, json_string(run[seed]->record->id));
        json_t *term = json_new("arm", t->x->arm[at->arm].name, "weight", at->weight, "cell",
                                at->cell != w->cell ? json_integer(at->cell) : NULL, "runs", runs);
        if (w->best) put_rates(t, at, term);
        json_array_append_new(terms, term);
    }
    return json_new("cell", w->cell, "step", t->sample.cell[w->cell].step[w->step], "metric",
                    metric_info[w->metric].key, "terms", terms, "d",
                    json_numbers(c->pairs.d, c->status == ST_OK ? c->pairs.n : 0));
}

static void words_of(const void *of, const Comparison *c, Decision d, Text *out) {
    const TableAsks *a = of;
    table_words(a->t, a->f, c, d, out);
}

static const char *plain_name(const void *of, Decision d) {
    (void)of;
    return decision_name(d);
}

json_t *json_comparison(const Table *t, const Family *f, const Comparison *c) {
    TableAsks asks = {t, f};
    ComparisonJson j = {.of = &asks,
                        .words = words_of,
                        .code = plain_name,
                        .blocks = c->what.metric == METRIC_valid_loss,
                        .margin = c->what.margin};
    json_t *o = json_add(json_contrast(t, c), "status", st_status_text(c->status));
    if (f->anytime) {
        comparison_json_head(o, c, &j);
        anytime_json(&f->anytime[c - f->at], t->x->most, c->t_decides ? NULL : "withheld: a run diverged", o);
    } else
        comparison_json(o, f, c, &j);
    if (c->what.metric != METRIC_valid_loss || c->status != ST_OK) return o;
    json_t *ratio = json_new("ratio", exp(c->t.mean));
    if (c->t_decides && c->t.status == ST_OK) json_add(ratio, "lo", exp(c->t.lo), "hi", exp(c->t.hi));
    return json_add(o, "perplexity_ratio", ratio);
}

/* {alpha, n, comparisons, floor, joint: {…}, at: [comparison …]} */
static json_t *json_family(const Table *t, const Family *f) {
    json_t *o = json_new("alpha", f->alpha, "n", f->n, "comparisons", f->count), *at = json_array();
    if (f->anytime) {
        json_add(o, "method", "anytime", "most_seeds", t->x->most);
    } else {
        if (t->x->looked) json_add(o, "look", t->x->looked, "looks", t->x->looks);
        json_add(o, "floor", f->floor, "exact", f->joint.exact, "flips", f->joint.total);
    }
    for (int i = 0; i < f->count; i++) json_array_append_new(at, json_comparison(t, f, &f->at[i]));
    return json_add(o, "at", at);
}

/* The numbers a test rests on: of the cells that it was made in, of all of them when it was not. */
static json_t *reported_json(const Table *t, const ClaimVerdict *v) {
    const ReportedTable *r = v->test->table;
    json_t *lines = json_array();
    RunSpec spec[CONTRAST_TERMS_MAX];
    if (v->c) contrast_specs(&v->c->what, &t->sample, spec);
    for (int i = 0; i < v->test->terms; i++)
        for (const ReportedNumber *n = r->number; n < r->number + r->numbers; n++) {
            if (strcmp(n->arm.name, v->test->term[i].arm.name) != 0 || strcmp(n->quantity, v->test->of) != 0) continue;
            if (v->c && !claim_arm_holds(&n->arm, &spec[i])) continue;
            json_array_append_new(lines, json_new("arm", n->arm.text, "quantity", n->quantity, "text", n->text,
                                                  "source", json_sprintf("%s:%d", t->claims->file, n->line)));
        }
    return json_new("as", effect_names[v->test->form], "effect", reported_effect(v->test, v->c ? spec : NULL), "step",
                    r->step, "seeds", r->seeds, "numbers", lines);
}

static const char *text_or_null(const char *text) {
    return text[0] ? text : NULL;
}

json_t *json_verdict(const Table *t, const ClaimVerdict *v) {
    json_t *o = json_new("claim", v->claim->id, "says", v->claim->says, "source", v->claim->source, "verdict",
                         verdict_word(v->word), "why", text_or_null(v->why));
    const ClaimTest *test = v->test;
    if (test) {
        const Metric *p = test->predictor;
        json_add(o, "metric", test->metric_text, "test", test->test ? test->test->name : NULL, "decided_by", v->by,
                 "expects", test->expects != EXPECT_COUNT ? expect_names[test->expects] : NULL, "predictors",
                 test->predictors ? json_pack("[s, s]", metric_info[p[0]].key, metric_info[p[1]].key) : NULL,
                 "side_claimed", text_or_null(table_side_claimed(test)), "margin", json_known(claim_margin(test)),
                 "reported", test->table ? reported_json(t, v) : NULL);
    }
    if (v->cell >= 0) json_add(o, "cell", v->cell);
    if (!v->c) return o;
    json_add(o, "side_found", text_or_null(table_side_found(v)), "step", t->sample.cell[v->cell].step[v->step], "n",
             t->sample.seeds, "effect", v->effect, "lo", v->lo, "hi", v->hi, "reported_effect", v->reported);
    replication_json(v, o);
    return json_add(o, "p_decides", v->p, "floor", v->floor, "own_size", v->own ? v->own->name : NULL, "seeds_wanted",
                    v->seeds_wanted > 0 ? json_integer(v->seeds_wanted) : NULL, "comparison",
                    v->c - t->verdicts.family.at, "exploratory", json_boolean(t->exploratory || v->undeclared),
                    "targets", test->test == st_test_find("mcnemar-targets") ? token_hits_json(t, &v->c->what) : NULL);
}

void json_put_writeup(json_t *o, const ClaimFile *f) {
    json_add(o, "title", f->title, "author", f->author, "date", f->date, "url", f->url);
}

/* {file, family, verdicts: […]}, or null without claims. */
static json_t *json_claims(const Table *t) {
    if (!t->claims) return json_null();
    json_t *o = json_new("file", t->claims->file, "writeup", t->claims->writeup), *at = json_array();
    for (int i = 0; i < t->verdicts.count; i++) json_array_append_new(at, json_verdict(t, &t->verdicts.at[i]));
    json_put_writeup(o, t->claims);
    return json_add(o, "source", t->claims->source, "verdicts", at, "family", json_family(t, &t->verdicts.family));
}

void table_json(const Table *t, Text *out) {
    json_t *o = head_json(t), *cells = json_array();
    for (int cell = 0; cell < t->sample.cells; cell++) json_array_append_new(cells, cell_json(t, cell));
    json_add(o, "cells", cells, "family", json_family(t, &t->family), "claims", json_claims(t));
    json_print(o, JSON_EXACT, out);
}
