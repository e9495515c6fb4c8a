/* Everything that was computed, as JSON; docs/json.md documents the names. */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "bench/compare/print.h"
#include "bench/formats/json.h"
#include "bench/store/provenance.h"
#include "bench/write/stat_json.h"
#include "stats/tests.h"

static json_t *withheld(const CompareResult *r) {
    return json_not_made(r->data->steps ? "withheld: a run never reached the target" : "withheld: a run diverged");
}

static const char *name_of(const void *of, Decision d) {
    return compare_word(of, d);
}

static json_t *tost_json(const CompareResult *r, const Comparison *c) {
    if (isnan(r->options.margin)) return json_not_made("not tested: no --margin");
    return c->t_decides ? json_with_floor(json_tost(&c->tost, r->options.margin), 0) : withheld(r);
}

/* A relabelling test beside Holm's adjustment of it. */
static json_t *relabel_json(const StSignflip *x, double holm) {
    json_t *o = json_status(x->status);
    if (x->status != ST_OK) return o;
    json_object_update_new(o, json_share(x->p, x->count, x->total));
    json_object_set_new(o, "exact", json_boolean(x->exact));
    json_put(o, "floor", x->p_min), json_put(o, "lo", x->p_lo), json_put(o, "hi", x->p_hi);
    json_put(o, "holm", holm);
    return o;
}

static json_t *unpaired_inside(const CompareResult *r, const Comparison *c) {
    if (isnan(r->options.margin)) return json_not_made("not tested: no --margin");
    if (!c->t_decides) return withheld(r);
    json_t *o = json_status(isnan(c->inside_p) ? ST_N_TOO_SMALL : ST_OK);
    if (isnan(c->inside_p)) return o;
    size_t n = (size_t)(c->n_a < c->n_b ? c->n_a : c->n_b);
    json_put(o, "p", c->inside_p), json_put(o, "floor", c->flip.p_min / 2);
    json_object_set_new(o, "inside", json_boolean(c->inside));
    json_put(o, "unseen", st_unseen(n, r->family.alpha));
    if (c->inside && !isnan(c->room_a)) json_put(o, "undone_beyond", c->room_a);
    if (c->inside && !isnan(c->room_b)) json_put(o, "undone_beyond_baseline", c->room_b);
    return o;
}

static json_t *unpaired_stalled(const Comparison *c) {
    if (c->stalled_a < 0) return json_not_made("not known");
    json_t *o = json_status(c->stall.status);
    json_object_set_new(o, "arm", json_integer(c->stalled_a)),
        json_object_set_new(o, "baseline", json_integer(c->stalled_b));
    json_put(o, "p", c->stall.p), json_put(o, "floor", c->stall.p_min);
    return o;
}

static void words_of(const void *of, const Comparison *c, Decision d, Text *out) {
    compare_words(of, c, d, out);
}

static ComparisonJson asked(const CompareResult *r) {
    return (ComparisonJson){.of = r,
                            .words = words_of,
                            .code = name_of,
                            .higher = r->options.higher,
                            .blocks = r->data->blocks > 0,
                            .margin = r->options.margin,
                            .withheld = r->data->steps ? "withheld: a run never reached the target"
                                                       : "withheld: a run diverged"};
}

/* Of arms that share no seeds. */
static json_t *unpaired_json(const CompareResult *r, const Comparison *c) {
    ComparisonJson j = asked(r);
    json_t *o = json_object(), *chance = json_chance(&c->chance);
    json_put_text(o, "arm", compare_arm_name(r, c));
    comparison_json_head(o, c, &j);
    json_put_count(o, "n_arm", (uint64_t)c->n_a), json_put_count(o, "n_baseline", (uint64_t)c->n_b);
    json_object_set_new(o, "t_interval", c->t_decides ? json_with_floor(json_t_interval(&c->t), 0) : withheld(r));
    json_object_set_new(o, "relabelling", relabel_json(&c->flip, c->holm));
    json_object_set_new(o, "mann_whitney", relabel_json(&c->rank_test, c->joint_ranks));
    json_object_set_new(o, "tost", tost_json(r, c));
    json_object_set_new(o, "inside_margin", unpaired_inside(r, c));
    json_object_set_new(o, "relabelling_interval", c->t_decides ? json_flip_interval(&r->family, c) : withheld(r));
    json_object_set_new(chance, "exact", json_boolean(c->chance.exact));
    json_put_count(chance, "resamples", c->chance.resamples);
    json_object_set_new(o, "improvement", chance);
    json_put_fisher(o, c);
    json_object_set_new(o, "levene", c->t_decides ? json_variance(&c->levene, "f") : withheld(r));
    json_object_set_new(o, "stalled", unpaired_stalled(c));
    comparison_json_tail(o, c, &j);
    return o;
}

static json_t *paired_json(const CompareResult *r, const Comparison *c) {
    ComparisonJson j = asked(r);
    json_t *o = json_object(), *d = json_array();
    for (size_t i = 0; i < c->pairs.n; i++) json_array_append_new(d, json_number_of(c->pairs.d[i]));
    json_put_text(o, "arm", compare_arm_name(r, c));
    json_object_set_new(o, "d", d);
    comparison_json(o, &r->family, c, &j);
    return o;
}

static json_t *seeds_json(const CompareData *d, int arm) {
    json_t *list = json_array();
    for (int s = 0; s < d->runs[arm]; s++)
        json_array_append_new(list, json_integer((json_int_t)d->seed[arm * d->seeds + s]));
    return list;
}

static void put_step(json_t *o, const char *key, double step) {
    if (isinf(step))
        json_put_text(o, key, "never");
    else
        json_put(o, key, step);
}

static json_t *steps_json(const CompareArm *a) {
    json_t *o = json_object();
    put_step(o, "median", a->median), put_step(o, "least", a->least), put_step(o, "most", a->most);
    json_put_count(o, "never", a->rate.k);
    return o;
}

static json_t *arm_json(const CompareResult *r, int arm) {
    const CompareData *d = r->data;
    const CompareArm *a = &r->arm[arm];
    json_t *o = json_object(), *rate = json_object(), *runs = json_array(), *iqm = json_status(a->iqm.status);
    json_put_text(o, "arm", d->arm[arm]);
    json_put_text(o, "status", st_status_text(a->status));
    if (a->status == ST_OK) json_put(o, "mean", a->mean);
    if (!isnan(a->sd)) json_put(o, "sd", a->sd);
    if (a->iqm.status == ST_OK) {
        json_put(iqm, "value", a->iqm.value);
        json_put_count(iqm, "cut_per_side", a->iqm.cut);
    }
    json_object_set_new(o, "interquartile_mean", iqm);
    json_put_count(rate, "k", a->rate.k), json_put_count(rate, "n", a->rate.n);
    json_put(rate, "lo", a->rate.lo), json_put(rate, "hi", a->rate.hi);
    json_object_set_new(o, "diverged", rate);
    if (a->stalled.n) {
        json_t *stalled = json_object();
        json_put_count(stalled, "k", a->stalled.k), json_put_count(stalled, "n", a->stalled.n);
        json_put(stalled, "lo", a->stalled.lo), json_put(stalled, "hi", a->stalled.hi);
        json_object_set_new(o, "stalled", stalled);
    }
    if (!isnan(a->survivors)) json_put(o, "survivors_mean", a->survivors);
    if (d->steps) json_object_set_new(o, "steps", steps_json(a));
    for (int s = 0; s < d->runs[arm]; s++) json_array_append_new(runs, json_number_of(d->value[arm * d->seeds + s]));
    json_object_set_new(o, "values", runs);
    if (d->unpaired) json_object_set_new(o, "seeds", seeds_json(d, arm));
    return o;
}

static json_t *omnibus_json(const CompareResult *r) {
    const StOmnibus *x = &r->omnibus;
    if (r->no_omnibus) return json_not_made(r->no_omnibus);
    if (r->data->unpaired) return json_not_made("not made: unpaired");
    json_t *o = json_status(x->status);
    if (x->status != ST_OK) return o;
    json_object_update_new(o, json_share(x->p, x->count, x->total));
    json_object_set_new(o, "exact", json_boolean(x->exact));
    return json_with_floor(o, x->p_min);
}

static json_t *looks_json(const CompareResult *r) {
    json_t *list = json_array();
    for (int i = 0; i < r->options.looks; i++) {
        const StLook *l = &r->look[i];
        json_t *o = json_object();
        json_put_count(o, "seeds", l->n);
        json_put(o, "spent", l->spent), json_put(o, "alpha", l->alpha), json_put(o, "floor", l->p_floor);
        json_object_set_new(o, "usable", json_boolean(l->usable));
        json_object_set_new(o, "this_one", json_boolean(i == r->this_look));
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *target_json(const CompareData *d) {
    if (!d->steps) return json_null();
    json_t *o = json_object();
    json_put(o, "value", d->target);
    json_put_text(o, "reached", d->rising ? "at least" : "at most");
    json_put(o, "last_step", d->last);
    return o;
}

/* Of runs that were picked from logs. */
static void logs_json(const CompareData *d, json_t *o) {
    if (!d->remarks) return;
    json_t *list = json_array();
    const char *at = d->remarks;
    Text line;
    text_init(&line);
    json_put_text(o, "read_as", d->columns ? d->columns : "");
    while (text_line(&at, &line)) json_array_append_new(list, json_string(line.at));
    json_object_set_new(o, "remarks", list);
    text_release(&line);
}

static void head_json(const CompareResult *r, json_t *o) {
    const CompareOptions *x = &r->options;
    Text words;
    text_init(&words);
    compare_signature(r, &words);
    json_put_count(o, "schema", COMPARE_SCHEMA);
    json_put_made_by(o);
    json_put_text(o, "signature", words.at);
    json_put_text(o, "data", r->data->hash);
    json_put_text(o, "baseline", r->data->arm[r->baseline]);
    json_object_set_new(o, "baseline_named", json_boolean(x->baseline != NULL));
    json_put_text(o, "better", x->higher ? "higher" : "lower");
    json_object_set_new(o, "margin", isnan(x->margin) ? json_null() : json_real(x->margin));
    json_object_set_new(o, "cap", isnan(x->cap) ? json_null() : json_real(x->cap));
    json_object_set_new(o, "stall", isnan(x->stall) ? json_null() : json_real(x->stall));
    json_object_set_new(o, "target", target_json(r->data));
    if (x->fail_by)
        json_put(o, "fail_on_worse_by", x->fail_more);
    else
        json_object_set_new(o, "fail_on_worse_by", json_null());
    json_put(o, "confidence", x->conf), json_put(o, "alpha", r->alpha), json_put(o, "alpha_here", r->family.alpha);
    json_put_count(o, "n", (uint64_t)r->n), json_put_count(o, "blocks", (uint64_t)r->data->blocks);
    json_object_set_new(o, "seeds", r->data->unpaired ? json_array() : seeds_json(r->data, 0));
    json_object_set_new(o, "unpaired", json_boolean(r->data->unpaired));
    logs_json(r->data, o);
    text_release(&words);
}

static json_t *verdicts_json(const CompareResult *r) {
    json_t *o = json_object();
    for (int v = 0; v < COMPARE_VERDICTS; v++)
        json_put_count(o, compare_verdict_name((CompareVerdict)v), (uint64_t)r->verdicts[v]);
    json_put_count(o, "exit_code", (uint64_t)compare_exit(r));
    return o;
}

json_t *compare_object(const CompareResult *r) {
    json_t *o = json_object(), *arms = json_array(), *family = json_object(), *at = json_array();
    head_json(r, o);
    json_object_set_new(o, "verdicts", verdicts_json(r));
    for (int arm = 0; arm < r->data->arms; arm++) json_array_append_new(arms, arm_json(r, arm));
    json_object_set_new(o, "arms", arms);
    json_put_count(family, "comparisons", (uint64_t)r->family.count);
    json_put(family, "floor", r->family.floor);
    json_object_set_new(family, "exact", json_boolean(r->family.joint.exact));
    if (!r->data->unpaired) json_put_count(family, "flips", r->family.joint.total);
    json_object_set_new(family, "omnibus", omnibus_json(r));
    json_object_set_new(family, "looks", looks_json(r));
    for (int i = 0; i < r->family.count; i++) {
        const Comparison *c = &r->family.at[i];
        json_array_append_new(at, r->data->unpaired ? unpaired_json(r, c) : paired_json(r, c));
    }
    json_object_set_new(family, "at", at);
    json_object_set_new(o, "family", family);
    return o;
}

void compare_json(const CompareResult *r, Text *out) {
    json_print(compare_object(r), JSON_EXACT, out);
}
