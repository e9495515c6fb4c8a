/* Comparisons and claims as JSON. */
#include <math.h>
#include <string.h>

#include "bench/table_json.h"

void json_put(json_t *object, const char *key, double x) {
    json_object_set_new(object, key, json_number_of(x == 0 ? 0 : x));
}

void json_put_text(json_t *object, const char *key, const char *text) {
    json_t *value = json_string(text);
    json_object_set_new(object, key, value ? value : json_string("(not UTF-8)"));
}

static json_t *status_object(StStatus status) {
    json_t *o = json_object();
    json_put_text(o, "status", st_status_text(status));
    return o;
}

static json_t *share(double p, uint64_t count, uint64_t total) {
    json_t *o = json_object();
    json_put(o, "p", p);
    json_object_set_new(o, "count", json_integer((json_int_t)count));
    json_object_set_new(o, "total", json_integer((json_int_t)total));
    return o;
}

static json_t *interval(StStatus status, double lo, double hi) {
    json_t *o = status_object(status);
    if (!isnan(lo)) json_put(o, "lo", lo), json_put(o, "hi", hi);
    return o;
}

static json_t *json_t_interval(const StTci *t) {
    json_t *o = status_object(t->status);
    bool ok = t->status == ST_OK;
    if (ok || t->status == ST_N_TOO_SMALL || t->status == ST_DEGENERATE) json_put(o, "mean", t->mean);
    if (!ok) return o;
    json_put(o, "confidence", t->conf), json_put(o, "lo", t->lo), json_put(o, "hi", t->hi);
    json_put(o, "sd", t->sd), json_put(o, "se", t->se), json_put(o, "t", t->t), json_put(o, "df", t->df);
    json_put(o, "p", t->p);
    return o;
}

static json_t *json_flip(const StSignflip *f) {
    json_t *o = status_object(f->status);
    if (f->status != ST_OK) return o;
    json_object_update_new(o, share(f->p, f->count, f->total));
    json_object_set_new(o, "exact", json_boolean(f->exact));
    json_put(o, "floor", f->p_min), json_put(o, "floor_given_zeros", f->p_min_here);
    json_object_set_new(o, "zeros", json_integer((json_int_t)f->zeros));
    json_put(o, "lo", f->p_lo), json_put(o, "hi", f->p_hi);
    return o;
}

static json_t *json_boot(const StBoot *b) {
    json_t *o = status_object(b->status);
    if (b->status != ST_OK) return o;
    json_object_set_new(o, "exact", json_boolean(b->exact));
    json_object_set_new(o, "resamples", json_integer((json_int_t)b->total));
    json_object_set_new(o, "decides", json_boolean(b->n >= ST_BOOT_DECIDES));
    json_put(o, "mean", b->mean), json_put(o, "se", b->se), json_put(o, "bias", b->bias),
        json_put(o, "accel", b->accel);
    json_object_set_new(o, "percentile", interval(b->percentile.status, b->percentile.lo, b->percentile.hi));
    json_object_set_new(o, "basic", interval(b->basic.status, b->basic.lo, b->basic.hi));
    json_object_set_new(o, "bca", interval(b->bca.status, b->bca.lo, b->bca.hi));
    json_object_set_new(o, "p_percentile", share(b->pct.p, b->pct.count, b->pct.total));
    json_object_set_new(o, "p_shift", share(b->shift.p, b->shift.count, b->shift.total));
    json_object_set_new(o, "p_koehn", share(b->koehn.p, b->koehn.count, b->koehn.total));
    return o;
}

static json_t *json_effect(const StEffect *x) {
    json_t *o = status_object(x->status);
    json_put(o, "mean", x->mean), json_put(o, "median", x->median), json_put(o, "share_below_zero", x->better);
    json_put(o, "exp_mean", x->ratio), json_put(o, "pairing_gain", x->vr), json_put(o, "correlation", x->r);
    if (x->status == ST_OK) json_put(o, "d_z", x->d_z), json_put(o, "g_z", x->g_z), json_put(o, "hedges_j", x->j);
    return o;
}

static json_t *json_tost(const StTost *x, double margin) {
    json_t *o = status_object(x->status);
    json_put(o, "margin", margin);
    if (x->status != ST_OK) return o;
    json_put(o, "p", x->p), json_put(o, "p_lower", x->p_lower), json_put(o, "p_upper", x->p_upper);
    json_put(o, "lo", x->ci_lo), json_put(o, "hi", x->ci_hi);
    json_object_set_new(o, "equivalent", json_boolean(x->equivalent));
    return o;
}

static json_t *json_crossed(const StCrossed *x) {
    json_t *o = status_object(x->status);
    if (x->status != ST_OK) return o;
    json_object_set_new(o, "blocks", json_integer((json_int_t)x->blocks_n));
    json_put(o, "mean", x->mean), json_put(o, "se", x->se), json_put(o, "df", x->df);
    json_put(o, "lo", x->lo), json_put(o, "hi", x->hi), json_put(o, "p", x->p);
    json_put(o, "lag1", x->lag1);
    json_object_set_new(o, "floored", json_boolean(x->floored));
    return o;
}

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

json_t *json_comparison(const Table *t, const Comparison *c) {
    json_t *o = json_contrast(t, c, json_object());
    json_put_text(o, "status", st_status_text(c->status));
    json_put_text(o, "decision", decision_name(c->decision));
    json_object_set_new(o, "diverged_a", json_integer(c->diverged_a));
    json_object_set_new(o, "diverged_b", json_integer(c->diverged_b));
    json_object_set_new(o, "intervals_decide", json_boolean(c->t_decides));
    json_object_set_new(o, "t_interval", json_t_interval(&c->t));
    json_object_set_new(o, "sign_flip", json_flip(&c->flip));
    json_object_set_new(o, "bootstrap", json_boot(&c->boot));
    json_object_set_new(o, "tost", json_tost(&c->tost, c->what.margin));
    if (c->status != ST_OK) return o;
    json_object_set_new(o, "max_t_step_down",
                        isnan(c->joint.step) ? status_object(ST_BAD_ARG)
                                             : share(c->joint.step, c->joint.step_count, 0));
    json_object_set_new(o, "effect", json_effect(&c->effect));
    if (c->what.metric == METRIC_valid_loss) {
        json_t *ratio = json_object();
        bool shown = c->t_decides && c->t.status == ST_OK;
        json_put(ratio, "ratio", exp(c->t.mean));
        if (shown) json_put(ratio, "lo", exp(c->t.lo)), json_put(ratio, "hi", exp(c->t.hi));
        json_object_set_new(o, "perplexity_ratio", ratio);
        json_object_set_new(o, "seeds_by_blocks", json_crossed(&c->crossed));
    }
    json_put(o, "holm", c->holm);
    json_t *m = json_object();
    json_object_set_new(m, "only_a", json_integer(c->only_a));
    json_object_set_new(m, "only_b", json_integer(c->only_b));
    json_put(m, "p", c->discordant.p), json_put(m, "floor", c->discordant.p_min);
    json_object_set_new(o, "mcnemar", m);
    json_t *v = status_object(c->variance.status);
    if (c->variance.status == ST_OK) json_put(v, "t", c->variance.stat), json_put(v, "p", c->variance.p);
    if (!isnan(c->variance.ratio)) json_put(v, "variance_ratio", c->variance.ratio);
    json_object_set_new(o, "pitman_morgan", v);
    if (!c->t_decides) {
        json_put(o, "max_t_on_ranks", c->joint_ranks);
        json_put_text(o, "decision_on_ranks", decision_name(c->decision_ranks));
    }
    return o;
}

json_t *json_family(const Table *t, const Family *f) {
    json_t *o = json_object(), *at = json_array();
    json_put(o, "alpha", f->alpha);
    json_object_set_new(o, "n", json_integer(f->n));
    json_object_set_new(o, "comparisons", json_integer(f->count));
    json_put(o, "floor", f->floor);
    json_put(o, "holm_floor", fmin(1, f->count * f->floor));
    json_object_set_new(o, "exact", json_boolean(f->joint.exact));
    json_object_set_new(o, "flips", json_integer((json_int_t)f->joint.total));
    for (int i = 0; i < f->count; i++) {
        json_t *c = json_comparison(t, &f->at[i]), *max_t = json_object_get(c, "max_t_step_down");
        if (json_object_get(max_t, "total")) {
            json_object_set_new(max_t, "total", json_integer((json_int_t)f->joint.total));
            json_object_set_new(max_t, "single_step",
                                share(f->at[i].joint.single, f->at[i].joint.single_count, f->joint.total));
        }
        json_array_append_new(at, c);
    }
    json_object_set_new(o, "at", at);
    return o;
}

/* The numbers a test rests on: of the cells that it was made in, of all of them when it was not. */
static json_t *reported_json(const Table *t, const ClaimVerdict *v) {
    const ReportedTable *r = v->test->table;
    json_t *o = json_object(), *lines = json_array();
    RunSpec spec[CONTRAST_MOST_TERMS];
    if (v->c) contrast_specs(&v->c->what, t->x, spec);
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
        if (v->test->test) json_put_text(o, "test", v->test->test);
        if (v->test->expects != EXPECT_COUNT) json_put_text(o, "expects", expect_names[v->test->expects]);
        if (!isnan(v->test->margin)) json_put(o, "margin", v->test->margin);
        if (v->test->table) json_object_set_new(o, "reported", reported_json(t, v));
    }
    if (v->cell >= 0) json_object_set_new(o, "cell", json_integer(v->cell));
    if (!v->c) return o;
    json_object_set_new(o, "step", json_integer(t->sample.cell[v->cell].step[v->step]));
    json_object_set_new(o, "n", json_integer(t->sample.seeds));
    json_put(o, "effect", v->effect), json_put(o, "lo", v->lo), json_put(o, "hi", v->hi);
    json_put(o, "reported_effect", v->reported);
    json_put(o, "p_decides", v->p), json_put(o, "floor", v->floor);
    json_object_set_new(o, "comparison", json_integer((json_int_t)(v->c - t->ledger.family.at)));
    json_object_set_new(o, "exploratory", json_boolean(t->exploratory || v->undeclared));
    return o;
}

json_t *json_claims(const Table *t) {
    if (!t->claims) return json_null();
    json_t *o = json_object(), *at = json_array();
    for (int i = 0; i < t->ledger.count; i++) json_array_append_new(at, json_verdict(t, &t->ledger.at[i]));
    json_put_text(o, "file", t->claims->file);
    json_put_text(o, "writeup", t->claims->writeup);
    json_put_text(o, "source", t->claims->source);
    json_object_set_new(o, "verdicts", at);
    json_object_set_new(o, "family", json_family(t, &t->ledger.family));
    return o;
}
