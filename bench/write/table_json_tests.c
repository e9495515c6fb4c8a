/* Comparisons and claims as JSON. */
#include <math.h>
#include <string.h>

#include "bench/formats/json.h"
#include "bench/write/anytime.h"
#include "bench/write/claims.h"
#include "bench/write/stat_json.h"
#include "bench/write/table_json.h"

typedef struct {
    const Table *t;
    const Family *f;
} TableAsks;

/* What differs from the baseline, seed by seed, and from which runs. */
static json_t *json_contrast(const Table *t, const Comparison *c, json_t *o) {
    json_t *terms = json_array(), *seeds = json_array();
    const Contrast *w = &c->what;
    for (int i = 0; i < w->terms; i++) {
        json_t *term = json_object(), *runs = json_array();
        json_put_text(term, "arm", t->x->arm[w->term[i].arm].name);
        json_put(term, "weight", w->term[i].weight);
        if (w->term[i].cell != w->cell) json_object_set_new(term, "cell", json_integer(w->term[i].cell));
        for (int seed = 0; seed < t->sample.seeds; seed++) {
            const Term *at = &w->term[i];
            json_array_append_new(runs,
                                  json_string(sample_run(&t->sample, at->cell, at->step, at->arm, seed)->record->id));
        }
        json_object_set_new(term, "runs", runs);
        json_array_append_new(terms, term);
    }
    for (size_t i = 0; c->status == ST_OK && i < c->pairs.n; i++)
        json_array_append_new(seeds, json_number_of(c->pairs.d[i]));
    json_object_set_new(o, "cell", json_integer(w->cell));
    json_object_set_new(o, "step", json_integer(t->sample.cell[w->cell].step[w->step]));
    json_put_text(o, "metric", metric_info[w->metric].key);
    json_object_set_new(o, "terms", terms);
    json_object_set_new(o, "d", seeds);
    return o;
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
                        .higher = metric_info[c->what.metric].better > 0,
                        .blocks = c->what.metric == METRIC_valid_loss,
                        .margin = c->what.margin};
    json_t *o = json_contrast(t, c, json_object());
    json_put_text(o, "status", st_status_text(c->status));
    if (f->anytime) {
        comparison_json_head(o, c, &j);
        anytime_json(&f->anytime[c - f->at], t->x->most, o);
    } else
        comparison_json(o, f, c, &j);
    if (c->what.metric != METRIC_valid_loss || c->status != ST_OK) return o;
    json_t *ratio = json_object();
    bool shown = c->t_decides && c->t.status == ST_OK;
    json_put(ratio, "ratio", exp(c->t.mean));
    if (shown) json_put(ratio, "lo", exp(c->t.lo)), json_put(ratio, "hi", exp(c->t.hi));
    json_object_set_new(o, "perplexity_ratio", ratio);
    return o;
}

json_t *json_family(const Table *t, const Family *f) {
    json_t *o = json_object(), *at = json_array();
    json_put(o, "alpha", f->alpha);
    json_object_set_new(o, "n", json_integer(f->n));
    json_object_set_new(o, "comparisons", json_integer(f->count));
    if (f->anytime) {
        json_put_text(o, "method", "anytime");
        json_object_set_new(o, "most_seeds", json_integer(t->x->most));
    } else {
        if (t->x->looked) json_object_set_new(o, "look", json_integer(t->x->looked));
        if (t->x->looked) json_object_set_new(o, "looks", json_integer(t->x->looks));
        json_put(o, "floor", f->floor);
        json_object_set_new(o, "exact", json_boolean(f->joint.exact));
        json_object_set_new(o, "flips", json_integer((json_int_t)f->joint.total));
    }
    for (int i = 0; i < f->count; i++) json_array_append_new(at, json_comparison(t, f, &f->at[i]));
    json_object_set_new(o, "at", at);
    return o;
}

/* The numbers a test rests on: of the cells that it was made in, of all of them when it was not. */
static json_t *reported_json(const Table *t, const ClaimVerdict *v) {
    const ReportedTable *r = v->test->table;
    json_t *o = json_object(), *lines = json_array();
    RunSpec spec[CONTRAST_TERMS_MAX];
    if (v->c) contrast_specs(&v->c->what, &t->sample, spec);
    for (int i = 0; i < v->test->terms; i++)
        for (const ReportedNumber *n = r->number; n < r->number + r->numbers; n++) {
            if (strcmp(n->arm.name, v->test->term[i].arm.name) != 0 || strcmp(n->quantity, v->test->of) != 0) continue;
            if (v->c && !claim_arm_holds(&n->arm, &spec[i])) continue;
            json_t *line = json_object();
            json_put_text(line, "arm", n->arm.text), json_put_text(line, "quantity", n->quantity);
            json_put_text(line, "text", n->text);
            json_object_set_new(line, "source", json_sprintf("%s:%d", t->claims->file, n->line));
            json_array_append_new(lines, line);
        }
    json_put_text(o, "as", effect_names[v->test->form]);
    json_put(o, "effect", reported_effect(v->test, v->c ? spec : NULL));
    json_object_set_new(o, "step", json_integer(r->step));
    json_object_set_new(o, "seeds", json_integer(r->seeds));
    json_object_set_new(o, "numbers", lines);
    return o;
}

json_t *json_verdict(const Table *t, const ClaimVerdict *v) {
    json_t *o = json_object();
    json_put_text(o, "claim", v->claim->id);
    json_put_text(o, "says", v->claim->says);
    json_put_text(o, "source", v->claim->source);
    json_put_text(o, "verdict", verdict_word(v->word));
    if (v->why[0]) json_put_text(o, "why", v->why);
    if (v->test) {
        json_put_text(o, "metric", v->test->metric_text);
        if (v->test->test) json_put_text(o, "test", v->test->test->name);
        if (v->by) json_put_text(o, "decided_by", v->by);
        if (v->test->expects != EXPECT_COUNT) json_put_text(o, "expects", expect_names[v->test->expects]);
        if (v->test->predictors)
            json_object_set_new(
                o, "predictors",
                json_pack("[s, s]", metric_info[v->test->predictor[0]].key, metric_info[v->test->predictor[1]].key));
        if (table_side_claimed(v->test)[0]) json_put_text(o, "side_claimed", table_side_claimed(v->test));
        if (!isnan(claim_margin(v->test))) json_put(o, "margin", claim_margin(v->test));
        if (v->test->table) json_object_set_new(o, "reported", reported_json(t, v));
    }
    if (v->cell >= 0) json_object_set_new(o, "cell", json_integer(v->cell));
    if (!v->c) return o;
    if (table_side_found(v)[0]) json_put_text(o, "side_found", table_side_found(v));
    json_object_set_new(o, "step", json_integer(t->sample.cell[v->cell].step[v->step]));
    json_object_set_new(o, "n", json_integer(t->sample.seeds));
    json_put(o, "effect", v->effect), json_put(o, "lo", v->lo), json_put(o, "hi", v->hi);
    json_put(o, "reported_effect", v->reported);
    replication_json(v, o);
    json_put(o, "p_decides", v->p), json_put(o, "floor", v->floor);
    if (v->own) json_put_text(o, "own_size", v->own->name);
    if (v->seeds_wanted > 0) json_object_set_new(o, "seeds_wanted", json_integer(v->seeds_wanted));
    json_object_set_new(o, "comparison", json_integer((json_int_t)(v->c - t->verdicts.family.at)));
    json_object_set_new(o, "exploratory", json_boolean(t->exploratory || v->undeclared));
    json_t *targets = v->test->test == st_test_find("mcnemar-targets") ? token_hits_json(t, &v->c->what) : NULL;
    if (targets) json_object_set_new(o, "targets", targets);
    return o;
}

void json_put_writeup(json_t *o, const ClaimFile *f) {
    json_put_text(o, "title", f->title);
    if (f->author) json_put_text(o, "author", f->author);
    if (f->date) json_put_text(o, "date", f->date);
    if (f->url) json_put_text(o, "url", f->url);
}

json_t *json_claims(const Table *t) {
    if (!t->claims) return json_null();
    json_t *o = json_object(), *at = json_array();
    for (int i = 0; i < t->verdicts.count; i++) json_array_append_new(at, json_verdict(t, &t->verdicts.at[i]));
    json_put_text(o, "file", t->claims->file);
    json_put_text(o, "writeup", t->claims->writeup);
    json_put_writeup(o, t->claims);
    json_put_text(o, "source", t->claims->source);
    json_object_set_new(o, "verdicts", at);
    json_object_set_new(o, "family", json_family(t, &t->verdicts.family));
    return o;
}
