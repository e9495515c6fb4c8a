/* Everything that was computed, as JSON; docs/json.md documents the names. */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "bench/compare/print.h"
#include "bench/formats/json.h"
#include "bench/write/stat_json.h"
#include "bench/write/summaries.h"
#include "stats/tests.h"

static const char *why_withheld(const CompareResult *r) {
    return r->data->steps ? "withheld: a run never reached the target" : "withheld: a run diverged";
}

static json_t *withheld(const CompareResult *r) {
    return json_not_made(why_withheld(r));
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
    return json_add(o, "exact", x->exact, "floor", x->p_min, "lo", x->p_lo, "hi", x->p_hi, "holm", holm);
}

static json_t *unpaired_inside(const CompareResult *r, const Comparison *c) {
    if (isnan(r->options.margin)) return json_not_made("not tested: no --margin");
    if (!c->t_decides) return withheld(r);
    json_t *o = json_status(isnan(c->inside_p) ? ST_N_TOO_SMALL : ST_OK);
    if (isnan(c->inside_p)) return o;
    size_t n = (size_t)(c->n_a < c->n_b ? c->n_a : c->n_b);
    json_add(o, "p", c->inside_p, "floor", c->flip.p_min / 2, "inside", c->inside, "unseen",
             st_unseen(n, r->family.alpha));
    if (c->inside && !isnan(c->room_a)) json_add(o, "undone_beyond", c->room_a);
    if (c->inside && !isnan(c->room_b)) json_add(o, "undone_beyond_baseline", c->room_b);
    return o;
}

static json_t *unpaired_stalled(const Comparison *c) {
    if (c->stalled_a < 0) return json_not_made("not known");
    json_t *o = json_status(c->stall.status);
    return json_add(o, "arm", c->stalled_a, "baseline", c->stalled_b, "p", c->stall.p, "floor", c->stall.p_min);
}

static void words_of(const void *of, const Comparison *c, Decision d, Text *out) {
    compare_words(of, c, d, out);
}

static ComparisonJson asked(const CompareResult *r) {
    return (ComparisonJson){.of = r,
                            .words = words_of,
                            .code = name_of,
                            .blocks = r->data->blocks > 0,
                            .margin = r->options.margin,
                            .withheld = why_withheld(r)};
}

/* Of arms that share no seeds. */
static json_t *unpaired_json(const CompareResult *r, const Comparison *c) {
    ComparisonJson j = asked(r);
    json_t *o = json_new("arm", compare_arm_name(r, c)), *chance = json_chance(&c->chance);
    comparison_json_head(o, c, &j);
    json_add(o, "n_arm", c->n_a, "n_baseline", c->n_b, "t_interval",
             c->t_decides ? json_with_floor(json_t_interval(&c->t), 0) : withheld(r), "relabelling",
             relabel_json(&c->flip, c->holm), "mann_whitney", relabel_json(&c->rank_test, c->joint_ranks), "tost",
             tost_json(r, c), "inside_margin", unpaired_inside(r, c), "relabelling_interval",
             c->t_decides ? json_flip_interval(&r->family, c) : withheld(r));
    json_add(chance, "exact", c->chance.exact, "resamples", c->chance.resamples);
    json_add(o, "improvement", chance);
    json_put_fisher(o, c);
    json_add(o, "levene", c->t_decides ? json_variance(&c->levene, "f") : withheld(r), "stalled", unpaired_stalled(c));
    comparison_json_tail(o, c, &j);
    return o;
}

static json_t *paired_json(const CompareResult *r, const Comparison *c) {
    ComparisonJson j = asked(r);
    json_t *o = json_new("arm", compare_arm_name(r, c), "d", json_numbers(c->pairs.d, c->pairs.n));
    comparison_json(o, &r->family, c, &j);
    return o;
}

static json_t *seeds_json(const CompareData *d, int arm) {
    return json_wholes(d->seed + arm * d->seeds, (size_t)d->runs[arm]);
}

static json_t *step_json(double step) {
    return isinf(step) ? json_string("never") : json_of_real(step);
}

static json_t *steps_json(const CompareArm *a) {
    return json_new("median", step_json(a->all.median), "least", step_json(a->all.least), "most",
                    step_json(a->all.most), "never", a->all.rate.k);
}

static json_t *rate_json(const StCp *x) {
    return json_new("k", x->k, "n", x->n, "lo", x->lo, "hi", x->hi);
}

static json_t *arm_json(const CompareResult *r, int arm) {
    const CompareData *d = r->data;
    const CompareArm *a = &r->arm[arm];
    json_t *iqm = json_status(a->iqm.status);
    if (a->iqm.status == ST_OK) json_add(iqm, "value", a->iqm.value, "cut_per_side", a->iqm.cut);
    json_t *o = json_new("arm", d->arm[arm], "status", st_status_text(a->all.status), "mean",
                         a->all.status == ST_OK ? json_of_real(a->all.mean) : NULL, "sd", json_known(a->all.sd),
                         "interquartile_mean", iqm, "diverged", rate_json(&a->all.rate), "stalled",
                         a->stalled.n ? rate_json(&a->stalled) : NULL, "survivors_mean", json_known(a->all.survivors));
    return json_add(o, "steps", d->steps ? steps_json(a) : NULL, "values",
                    json_numbers(d->value + arm * d->seeds, (size_t)d->runs[arm]), "seeds",
                    d->unpaired ? seeds_json(d, arm) : NULL);
}

static json_t *omnibus_json(const CompareResult *r) {
    const StOmnibus *x = &r->omnibus;
    if (r->no_omnibus) return json_not_made(r->no_omnibus);
    if (r->data->unpaired) return json_not_made("not made: unpaired");
    json_t *o = json_status(x->status);
    if (x->status != ST_OK) return o;
    json_object_update_new(o, json_share(x->p, x->count, x->total));
    return json_with_floor(json_add(o, "exact", x->exact), x->p_min);
}

static json_t *looks_json(const CompareResult *r) {
    json_t *list = json_array();
    for (int i = 0; i < r->options.looks; i++) {
        const StLook *l = &r->look[i];
        json_array_append_new(list, json_new("seeds", l->n, "spent", l->spent, "alpha", l->alpha, "floor", l->p_floor,
                                             "usable", l->usable, "this_one", json_boolean(i == r->this_look)));
    }
    return list;
}

static json_t *target_json(const CompareData *d) {
    if (!d->steps) return json_null();
    return json_new("value", d->target, "reached", d->rising ? "at least" : "at most", "last_step", d->last);
}

static json_t *head_json(const CompareResult *r) {
    json_t *o = json_begin(COMPARE_SCHEMA);
    const CompareOptions *x = &r->options;
    LOCAL_TEXT(words);
    compare_signature(r, &words);
    json_add(o, "signature", words.at, "data", r->data->hash, "baseline", r->data->arm[r->baseline], "baseline_named",
             json_boolean(x->baseline != NULL), "better", x->higher ? "higher" : "lower", "margin",
             json_or_null(x->margin), "cap", json_or_null(x->cap), "stall", json_or_null(x->stall));
    json_add(o, "target", target_json(r->data), "fail_on_worse_by",
             x->fail.by ? json_of_real(x->fail.more) : json_null(), "confidence", x->conf, "alpha", r->alpha,
             "alpha_here", r->family.alpha, "n", r->family.n, "blocks", r->data->blocks, "seeds",
             r->data->unpaired ? json_array() : seeds_json(r->data, 0), "unpaired", r->data->unpaired);
    compare_reading_json(r->data, o);
    return o;
}

static json_t *verdicts_json(const CompareResult *r) {
    json_t *o = json_object();
    for (Decision d = DECISION_LOWER; d <= DECISION_NOT_TESTABLE; d++) {
        const char *code = decision_code(d, false);
        int n = 0;
        for (int i = 0; i < r->family.count; i++) n += !strcmp(compare_word(r, r->family.at[i].decision), code);
        json_add(o, code, n);
    }
    return json_add(o, "exit_code", compare_exit(r));
}

/* What holds at every stop, in the place of arms and family. */
static json_t *anytime_object(const CompareResult *r) {
    json_t *list = json_array();
    for (int i = 0; i < r->family.count; i++) {
        const Anytime *a = &r->family.anytime[i];
        const Comparison *c = &r->family.at[i];
        json_t *o = json_new("arm", compare_arm_name(r, c));
        anytime_json(a, r->options.anytime, c->t_decides ? NULL : why_withheld(r), o);
        json_array_append_new(list, json_add(o, "decision", decision_name(a->decision), "verdict",
                                             compare_word(r, a->decision)));
    }
    return json_add(head_json(r), "most_seeds", r->options.anytime, "anytime", list, "exit_code", compare_exit(r));
}

json_t *compare_object(const CompareResult *r) {
    if (r->family.anytime) return anytime_object(r);
    json_t *arms = json_array(), *at = json_array();
    for (int arm = 0; arm < r->data->arms; arm++) json_array_append_new(arms, arm_json(r, arm));
    for (int i = 0; i < r->family.count; i++) {
        const Comparison *c = &r->family.at[i];
        json_array_append_new(at, r->data->unpaired ? unpaired_json(r, c) : paired_json(r, c));
    }
    json_t *family = json_new("comparisons", r->family.count, "floor", r->family.floor, "exact", r->family.joint.exact,
                              "flips", r->data->unpaired ? NULL : json_of_whole((json_int_t)r->family.joint.total),
                              "omnibus", omnibus_json(r), "looks", looks_json(r), "at", at);
    return json_add(head_json(r), "verdicts", verdicts_json(r), "arms", arms, "family", family);
}

void compare_json(const CompareResult *r, Text *out) {
    json_print(compare_object(r), JSON_EXACT, out);
}
