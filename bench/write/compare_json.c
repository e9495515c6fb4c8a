/* Everything that was computed, as JSON; compare_help documents the names. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/formats/json.h"
#include "bench/run/provenance.h"
#include "bench/write/compare.h"
#include "bench/write/stat_json.h"
#include "stats/tests.h"

static void put_count(json_t *o, const char *key, uint64_t n) {
    json_object_set_new(o, key, json_integer((json_int_t)n));
}

/* {status: why} of something that was not made. */
static json_t *not_made(const char *why) {
    json_t *o = json_object();
    json_put_text(o, "status", why);
    return o;
}

static json_t *withheld(const CompareResult *r) {
    return not_made(r->data->steps ? "withheld: a run never reached the target" : "withheld: a run diverged");
}

/* A p beside the smallest one that could have come out; 0: any p > 0. */
static json_t *with_floor(json_t *o, double floor) {
    if (json_object_get(o, "p")) json_put(o, "floor", floor);
    return o;
}

static json_t *p_json(double p, double floor) {
    json_t *o = json_object();
    json_put(o, "p", p);
    return with_floor(o, floor);
}

static json_t *wilcoxon_json(const StWilcoxon *w) {
    json_t *o = json_status(w->status);
    if (w->status != ST_OK) return o;
    json_object_update_new(o, json_share(w->p, w->count, w->total));
    json_object_set_new(o, "exact", json_boolean(w->exact));
    json_put(o, "w", w->w);
    put_count(o, "zeros", w->zeros);
    return with_floor(o, w->p_min);
}

static json_t *boot_json(const StBoot *b) {
    static const char *const forms[] = {"p_percentile", "p_shift", "p_koehn"};
    json_t *o = json_boot(b);
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        json_t *p = json_object_get(o, forms[i]);
        if (p) with_floor(p, 1 / (double)b->total);
    }
    return o;
}

/* What these seeds leave undefined is absent. */
static json_t *effect_json(const CompareResult *r, const Comparison *c) {
    json_t *o = json_effect(&c->effect), *value;
    const char *key;
    void *next;
    json_put(o, "share_better", compare_share_better(r, c));
    json_object_foreach_safe(o, next, key, value) {
        if (strcmp(key, "status") && !json_is_number(value)) json_object_del(o, key);
    }
    return o;
}

static json_t *chance_json(const StChance *x) {
    json_t *o = json_status(x->status);
    if (isnan(x->share)) return o;
    json_put(o, "share", x->share);
    if (x->status == ST_OK) json_put(o, "confidence", x->conf), json_put(o, "lo", x->lo), json_put(o, "hi", x->hi);
    put_count(o, "wins", x->wins), put_count(o, "ties", x->ties), put_count(o, "total", x->total);
    if (!isnan(x->p)) json_put(o, "p", x->p);
    return with_floor(o, fmin(1, ldexp(2, -(int)(x->total - x->ties))));
}

static json_t *posterior_json(const CompareResult *r, const Comparison *c) {
    const StPosterior *p = &c->posterior;
    if (isnan(r->options.margin)) return not_made("not made: no --margin");
    if (!c->t_decides) return withheld(r);
    json_t *o = json_status(p->status);
    if (p->status != ST_OK) return o;
    json_put(o, "better", r->options.higher ? p->above : p->below);
    json_put(o, "practically_equal", p->inside);
    json_put(o, "worse", r->options.higher ? p->below : p->above);
    json_put_text(o, "prior", compare_prior);
    json_object_set_new(o, "decides", json_false());
    return o;
}

static void put_power(json_t *o, const char *key, const StPower *p, double value) {
    if (p->status == ST_OK)
        json_put(o, key, value);
    else
        json_object_set_new(o, key, not_made(st_status_text(p->status)));
}

static json_t *power_json(const CompareResult *r, const Comparison *c) {
    const Family *f = &r->family;
    if (!c->t_decides) return withheld(r);
    json_t *o = json_status(c->t.status);
    if (c->t.status != ST_OK) return o;
    json_put_text(o, "of", family_power_by_flips(f) ? "sign flips" : "t test");
    json_put(o, "d_z", c->power.d_z), json_put(o, "alpha", c->power.alpha);
    put_power(o, "power", &c->power, c->power.power);
    json_put(o, "sd", c->t.sd);
    json_object_set_new(o, "sd_95", json_interval(c->sd.status, c->sd.lo, c->sd.hi));
    put_power(o, "seeds_for_80", &c->seeds_needed, (double)c->seeds_needed.n);
    put_power(o, "seeds_for_80_least", &c->seeds_least, (double)c->seeds_least.n);
    put_power(o, "seeds_for_80_most", &c->seeds_most, (double)c->seeds_most.n);
    put_power(o, "detectable_d_z", &c->detectable, c->detectable.d_z);
    put_power(o, "detectable", &c->detectable, c->detectable.d_z * c->t.sd);
    return o;
}

static json_t *variance_json(const StVariance *v, const char *statistic) {
    json_t *o = json_status(v->status);
    if (v->status == ST_OK) {
        json_put(o, statistic, v->stat), json_put(o, "df", v->df1);
        if (!isnan(v->df2)) json_put(o, "df2", v->df2);
        json_put(o, "p", v->p);
        if (!isnan(v->p_swap)) json_put(o, "p_swap", v->p_swap), json_put(o, "p_one_seed_left_out", v->p_left_out);
    }
    if (!isnan(v->ratio)) json_put(o, "variance_ratio", v->ratio);
    return with_floor(o, 0);
}

static json_t *crossed_json(const Comparison *c) {
    json_t *o = with_floor(json_crossed(&c->crossed), 0), *joined = json_status(c->joined.status), *pigeons;
    put_count(joined, "blocks_per_block", c->joined.factor), put_count(joined, "blocks", c->joined.blocks);
    put_count(joined, "dropped", c->joined.dropped);
    if (!isnan(c->joined.lag1)) json_put(joined, "lag1", c->joined.lag1);
    json_object_set_new(o, "joined", joined);
    pigeons = c->no_pigeonhole ? not_made(c->no_pigeonhole) : json_status(c->pigeonhole.status);
    if (!c->no_pigeonhole && c->pigeonhole.status == ST_OK) {
        const StPigeonhole *p = &c->pigeonhole;
        json_object_set_new(pigeons, "exact", json_boolean(p->exact));
        put_count(pigeons, "resamples", p->total);
        json_put(pigeons, "mean", p->mean), json_put(pigeons, "se", p->se);
        json_put(pigeons, "lo", p->lo), json_put(pigeons, "hi", p->hi);
    }
    json_object_set_new(o, "pigeonhole", pigeons);
    return o;
}

static void joint_json(const CompareResult *r, const Comparison *c, json_t *o) {
    uint64_t total = r->family.joint.total;
    bool made = r->family.joint.status == ST_OK;
    json_object_set_new(o, "max_t_step_down",
                        made ? with_floor(json_share(c->joint.step, c->joint.step_count, total), r->family.floor)
                             : json_status(r->family.joint.status));
    json_object_set_new(o, "max_t_single_step",
                        made ? with_floor(json_share(c->joint.single, c->joint.single_count, total), r->family.floor)
                             : json_status(r->family.joint.status));
    size_t n = (size_t)r->n, k = (size_t)r->family.count;
    json_object_set_new(o, "holm", json_holm(&r->family, c));
    json_object_set_new(o, "hochberg", p_json(c->hochberg, st_test_find("hochberg")->floor(n, k)));
    json_object_set_new(o, "benjamini_hochberg", p_json(c->bh, st_test_find("bh")->floor(n, k)));
}

/* The sentence beside the code. */
static void put_words(const CompareResult *r, const Comparison *c, const char *key, Decision d, json_t *o) {
    Text words;
    text_init(&words);
    compare_words(r, c, d, &words);
    json_put_text(o, key, words.at);
    text_release(&words);
}

static const char *name_of(const void *of, Decision d) {
    return compare_word(of, d);
}

/* What every comparison ends with: the decision on ranks, and with the cap where it differs. */
static void put_rank_decision(const CompareResult *r, const Comparison *c, json_t *o) {
    json_put_text(o, "decision_on_ranks", compare_word(r, c->decision_ranks));
    put_words(r, c, "verdict_on_ranks", c->decision_ranks, o);
    if (c->decision_capped != c->decision) json_put_text(o, "decision_with_cap", compare_word(r, c->decision_capped));
}

static json_t *tost_json(const CompareResult *r, const Comparison *c) {
    if (isnan(r->options.margin)) return not_made("not tested: no --margin");
    return c->t_decides ? with_floor(json_tost(&c->tost, r->options.margin), 0) : withheld(r);
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
    if (isnan(r->options.margin)) return not_made("not tested: no --margin");
    if (!c->t_decides) return withheld(r);
    json_t *o = json_status(isnan(c->inside_p) ? ST_N_TOO_SMALL : ST_OK);
    if (isnan(c->inside_p)) return o;
    size_t n = (size_t)(c->n_a < c->n_b ? c->n_a : c->n_b);
    json_put(o, "p", c->inside_p), json_put(o, "floor", c->flip.p_min / 2);
    json_object_set_new(o, "inside", json_boolean(c->inside));
    json_put(o, "unseen", st_unseen(n, r->family.alpha));
    return o;
}

static json_t *unpaired_stalled(const Comparison *c) {
    if (c->stalled_a < 0) return not_made("not known");
    json_t *o = json_status(c->stall.status);
    json_object_set_new(o, "arm", json_integer(c->stalled_a)),
        json_object_set_new(o, "baseline", json_integer(c->stalled_b));
    json_put(o, "p", c->stall.p), json_put(o, "floor", c->stall.p_min);
    return o;
}

static void fisher_json(const Comparison *c, json_t *o) {
    json_t *f = json_status(c->fisher.status);
    if (c->fisher.status == ST_OK) {
        json_put(f, "p", c->fisher.p);
        with_floor(f, c->fisher.p_min);
        if (!isnan(c->fisher.odds)) json_put(f, "odds", c->fisher.odds);
    }
    json_object_set_new(o, "fisher", f);
}

/* Of arms that share no seeds. */
static json_t *unpaired_json(const CompareResult *r, const Comparison *c) {
    json_t *o = json_object(), *chance = chance_json(&c->chance);
    json_put_text(o, "arm", compare_arm_name(r, c));
    json_put_text(o, "decision", compare_word(r, c->decision));
    put_words(r, c, "verdict", c->decision, o);
    put_count(o, "n_arm", (uint64_t)c->n_a), put_count(o, "n_baseline", (uint64_t)c->n_b);
    put_count(o, "diverged_arm", (uint64_t)c->diverged_a), put_count(o, "diverged_baseline", (uint64_t)c->diverged_b);
    json_object_set_new(o, "intervals_decide", json_boolean(c->t_decides));
    json_object_set_new(o, "t_interval", c->t_decides ? with_floor(json_t_interval(&c->t), 0) : withheld(r));
    json_object_set_new(o, "relabelling", relabel_json(&c->flip, c->holm));
    json_object_set_new(o, "mann_whitney", relabel_json(&c->rank_test, c->joint_ranks));
    json_object_set_new(o, "tost", tost_json(r, c));
    json_object_set_new(o, "inside_margin", unpaired_inside(r, c));
    json_object_set_new(o, "relabelling_interval", c->t_decides ? json_flip_interval(&r->family, c) : withheld(r));
    json_object_set_new(chance, "exact", json_boolean(c->chance.exact));
    put_count(chance, "resamples", c->chance.resamples);
    json_object_set_new(o, "improvement", chance);
    fisher_json(c, o);
    json_object_set_new(o, "levene", c->t_decides ? variance_json(&c->levene, "f") : withheld(r));
    json_object_set_new(o, "stalled", unpaired_stalled(c));
    put_rank_decision(r, c, o);
    return o;
}

static json_t *item_json(const CompareResult *r, const Comparison *c) {
    json_t *o = json_object(), *d = json_array();
    const StPairs *p = &c->pairs;
    bool tested = !isnan(r->options.margin);
    for (size_t i = 0; i < p->n; i++) json_array_append_new(d, json_number_of(p->d[i]));
    json_put_text(o, "arm", compare_arm_name(r, c));
    json_put_text(o, "decision", compare_word(r, c->decision));
    put_words(r, c, "verdict", c->decision, o);
    json_object_set_new(o, "d", d);
    put_count(o, "diverged_arm", p->lost_a), put_count(o, "diverged_baseline", p->lost_b);
    json_object_set_new(o, "intervals_decide", json_boolean(c->t_decides));
    json_object_set_new(o, "t_interval", c->t_decides ? with_floor(json_t_interval(&c->t), 0) : withheld(r));
    json_object_set_new(o, "sign_flip", json_flip(&c->flip));
    joint_json(r, c, o);
    json_object_set_new(o, "wilcoxon", wilcoxon_json(&c->wilcoxon));
    json_object_set_new(o, "bootstrap", boot_json(&c->boot));
    json_object_set_new(o, "tost", tost_json(r, c));
    json_object_set_new(o, "inside_margin",
                        !tested         ? not_made("not tested: no --margin")
                        : !c->t_decides ? withheld(r)
                                        : json_inside(&r->family, c));
    json_object_set_new(o, "sign_flip_interval", c->t_decides ? json_flip_interval(&r->family, c) : withheld(r));
    json_object_set_new(o, "effect", effect_json(r, c));
    json_object_set_new(o, "improvement", chance_json(&c->chance));
    json_object_set_new(o, "posterior", posterior_json(r, c));
    json_object_set_new(o, "power", power_json(r, c));
    json_t *mcnemar = p_json(c->mcnemar.p, c->mcnemar.p_min);
    put_count(mcnemar, "only_arm", p->only_a), put_count(mcnemar, "only_baseline", p->only_b);
    json_object_set_new(o, "mcnemar", mcnemar);
    fisher_json(c, o);
    json_object_set_new(o, "levene", c->t_decides ? variance_json(&c->levene, "f") : withheld(r));
    json_object_set_new(o, "pitman_morgan", c->t_decides ? variance_json(&c->pitman_morgan, "t") : withheld(r));
    if (r->data->blocks) json_object_set_new(o, "seeds_by_blocks", c->t_decides ? crossed_json(c) : withheld(r));
    json_object_set_new(o, "stalled", json_stalled(c));
    json_object_set_new(o, "one_seed_left_out", json_left_out(c, name_of, r));
    json_object_set_new(o, "max_t_on_ranks",
                        isnan(c->joint_ranks) ? not_made(st_status_text(c->status == ST_OK ? ST_BAD_ARG : c->status))
                                              : p_json(c->joint_ranks, r->family.floor));
    put_rank_decision(r, c, o);
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
    put_count(o, "never", a->rate.k);
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
        put_count(iqm, "cut_per_side", a->iqm.cut);
    }
    json_object_set_new(o, "interquartile_mean", iqm);
    put_count(rate, "k", a->rate.k), put_count(rate, "n", a->rate.n);
    json_put(rate, "lo", a->rate.lo), json_put(rate, "hi", a->rate.hi);
    json_object_set_new(o, "diverged", rate);
    if (a->stalled.n) {
        json_t *stalled = json_object();
        put_count(stalled, "k", a->stalled.k), put_count(stalled, "n", a->stalled.n);
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
    if (r->no_omnibus) return not_made(r->no_omnibus);
    if (r->data->unpaired) return not_made("not made: unpaired");
    json_t *o = json_status(x->status);
    if (x->status != ST_OK) return o;
    json_object_update_new(o, json_share(x->p, x->count, x->total));
    json_object_set_new(o, "exact", json_boolean(x->exact));
    return with_floor(o, x->p_min);
}

static json_t *looks_json(const CompareResult *r) {
    json_t *list = json_array();
    for (int i = 0; i < r->options.looks; i++) {
        const StLook *l = &r->look[i];
        json_t *o = json_object();
        put_count(o, "seeds", l->n);
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

static void head_json(const CompareResult *r, json_t *o) {
    const CompareOptions *x = &r->options;
    Text words;
    text_init(&words);
    compare_signature(r, &words);
    put_count(o, "schema", COMPARE_SCHEMA);
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
    put_count(o, "n", (uint64_t)r->n), put_count(o, "blocks", (uint64_t)r->data->blocks);
    json_object_set_new(o, "seeds", r->data->unpaired ? json_array() : seeds_json(r->data, 0));
    json_object_set_new(o, "unpaired", json_boolean(r->data->unpaired));
    text_release(&words);
}

static json_t *verdicts_json(const CompareResult *r) {
    json_t *o = json_object();
    for (int v = 0; v < COMPARE_VERDICTS; v++)
        put_count(o, compare_verdict_name((CompareVerdict)v), (uint64_t)r->verdicts[v]);
    put_count(o, "exit_code", (uint64_t)compare_exit(r));
    return o;
}

json_t *compare_object(const CompareResult *r) {
    json_t *o = json_object(), *arms = json_array(), *family = json_object(), *at = json_array();
    head_json(r, o);
    json_object_set_new(o, "verdicts", verdicts_json(r));
    for (int arm = 0; arm < r->data->arms; arm++) json_array_append_new(arms, arm_json(r, arm));
    json_object_set_new(o, "arms", arms);
    put_count(family, "comparisons", (uint64_t)r->family.count);
    json_put(family, "floor", r->family.floor);
    json_object_set_new(family, "exact", json_boolean(r->family.joint.exact));
    if (!r->data->unpaired) put_count(family, "flips", r->family.joint.total);
    json_object_set_new(family, "omnibus", omnibus_json(r));
    json_object_set_new(family, "looks", looks_json(r));
    for (int i = 0; i < r->family.count; i++) {
        const Comparison *c = &r->family.at[i];
        json_array_append_new(at, r->data->unpaired ? unpaired_json(r, c) : item_json(r, c));
    }
    json_object_set_new(family, "at", at);
    json_object_set_new(o, "family", family);
    return o;
}

void compare_dump(json_t *o, Text *out) {
    char *text = json_dumps(o, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
    text_add(out, text, strlen(text));
    text_add(out, "\n", 1);
    free(text);
    json_decref(o);
}

void compare_json(const CompareResult *r, Text *out) {
    compare_dump(compare_object(r), out);
}
