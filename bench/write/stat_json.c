#include "bench/write/stat_json.h"

#include <math.h>
#include <string.h>

#include "bench/formats/json.h"
#include "bench/store/provenance.h"
#include "bench/verdict/translations.h"
#include "stats/tests.h"

json_t *json_begin(int schema) {
    return json_new("schema", schema ? json_integer(schema) : NULL, "made_by", "normbench " NORMBENCH_VERSION, "commit",
                    provenance_commit());
}

/* {status: why} of something that was not made. */
json_t *json_not_made(const char *why) {
    return json_new("status", why);
}

json_t *json_status(StStatus status) {
    return json_not_made(st_status_text(status));
}

/* A p beside the smallest one that could have come out; 0: any p > 0. */
json_t *json_with_floor(json_t *o, double floor) {
    if (json_object_get(o, "p")) json_add(o, "floor", floor);
    return o;
}

static json_t *json_p(double p, double floor) {
    return json_with_floor(json_new("p", p), floor);
}

json_t *json_share(double p, uint64_t count, uint64_t total) {
    return json_new("p", p, "count", count, "total", total);
}

static json_t *json_interval(StStatus status, double lo, double hi) {
    return json_add(json_status(status), "lo", json_known(lo), "hi", isnan(lo) ? NULL : json_of_real(hi));
}

json_t *json_t_interval(const StTci *t) {
    json_t *o = json_status(t->status);
    bool ok = t->status == ST_OK;
    if (ok || t->status == ST_N_TOO_SMALL || t->status == ST_DEGENERATE) json_add(o, "mean", t->mean);
    if (!ok) return o;
    return json_add(o, "confidence", t->conf, "lo", t->lo, "hi", t->hi, "sd", json_known(t->sd), "se", t->se, "t", t->t,
                    "df", t->df, "p", t->p);
}

static json_t *json_flip(const StSignflip *f) {
    json_t *o = json_status(f->status);
    if (f->status != ST_OK) return o;
    json_object_update_new(o, json_share(f->p, f->count, f->total));
    return json_add(o, "exact", f->exact, "floor", f->p_min, "floor_given_zeros", f->p_min_here, "zeros", f->zeros,
                    "lo", f->p_lo, "hi", f->p_hi);
}

static json_t *boot_share(const StShare *x, const StBoot *b) {
    return json_with_floor(json_share(x->p, x->count, x->total), 1 / (double)b->total);
}

static json_t *boot_json(const StBoot *b) {
    json_t *o = json_status(b->status);
    if (b->status != ST_OK) return o;
    json_add(o, "exact", b->exact, "resamples", b->total, "decides", json_boolean(b->n >= ST_BOOT_DECIDES), "mean",
             b->mean, "se", b->se, "bias", b->bias, "accel", b->accel, "percentile",
             json_interval(b->percentile.status, b->percentile.lo, b->percentile.hi));
    return json_add(o, "basic", json_interval(b->basic.status, b->basic.lo, b->basic.hi), "bca",
                    json_interval(b->bca.status, b->bca.lo, b->bca.hi), "p_percentile", boot_share(&b->pct, b),
                    "p_shift", boot_share(&b->shift, b), "p_koehn", boot_share(&b->koehn, b));
}

static json_t *json_holm(const Family *f, const Comparison *c) {
    return json_new("p", c->holm, "floor", fmin(1, f->count * f->floor));
}

json_t *json_flip_interval(const Family *f, const Comparison *c) {
    const StFlipCi *all = &c->together, *one = &c->alone;
    if (f->no_interval) return json_not_made(f->no_interval);
    json_t *o = json_status(all->status);
    bool joint = all->status == ST_OK;
    if (joint || one->status == ST_OK) json_add(o, "confidence", joint ? all->conf : one->conf);
    if (joint) json_add(o, "lo", all->lo, "hi", all->hi);
    if (one->status == ST_OK) json_add(o, "alone_lo", one->lo, "alone_hi", one->hi);
    return o;
}

static json_t *json_inside(const Family *f, const Comparison *c) {
    json_t *o = json_status(isnan(c->inside_p) ? ST_N_TOO_SMALL : ST_OK);
    if (isnan(c->inside_p)) return o;
    double far, room = comparison_room(f, c, &far);
    return json_add(o, "p", c->inside_p, "floor", st_test_find("tost")->floor((size_t)f->n, 1), "inside", c->inside,
                    "unseen", st_unseen((size_t)f->n, f->alpha), "undone_beyond", c->inside ? json_known(room) : NULL);
}

static json_t *json_left_out(const Comparison *c, const char *(*name)(const void *, Decision), const void *of) {
    json_t *o = json_new("status", c->turning < 0 ? "not looked at: too few seeds, or too many" : "ok");
    if (c->turning < 0) return o;
    json_add(o, "seeds", c->turning);
    if (!c->turning) return o;
    return json_add(o, "seed", c->pairs.seed[c->turning_seed], "decision", name(of, c->turned));
}

static json_t *json_stalled(const Comparison *c) {
    json_t *o = json_new("status", c->stalled_a < 0 ? "not known" : "ok");
    if (c->stalled_a < 0) return o;
    return json_add(o, "arm", c->stalled_a, "baseline", c->stalled_b, "only_arm", c->only_stalled_a, "only_baseline",
                    c->only_stalled_b, "p", c->stall.p, "floor", c->stall.p_min);
}

json_t *json_tost(const StTost *x, double margin) {
    json_t *o = json_status(x->status);
    json_add(o, "margin", margin);
    if (x->status != ST_OK) return o;
    return json_add(o, "p", x->p, "p_lower", x->p_lower, "p_upper", x->p_upper, "lo", x->ci_lo, "hi", x->ci_hi,
                    "equivalent", x->equivalent);
}

static json_t *json_corpus(const StCorpus *x) {
    json_t *alone = json_new("se", x->sentences.se, "lo", x->sentences.lo, "hi", x->sentences.hi);
    return json_add(json_status(x->status), "mean", x->mean, "se", x->se, "lo", x->lo, "hi", x->hi, "sentences_alone",
                    alone, "sentences", x->items, "resamples", x->draws);
}

#define NO_MARGIN "not tested: no --margin"

const char comparison_prior[] =
    "flat in the mean difference and in ln of its sd, p(mean, sd) ~ 1/sd, with normal, independent differences";

static json_t *wilcoxon_json(const StWilcoxon *w) {
    json_t *o = json_status(w->status);
    if (w->status != ST_OK) return o;
    json_object_update_new(o, json_share(w->p, w->count, w->total));
    return json_with_floor(json_add(o, "exact", w->exact, "w", w->w, "zeros", w->zeros), w->p_min);
}

/* What these seeds leave undefined is absent. */
static json_t *effect_json(const Comparison *c) {
    const StEffect *x = &c->effect;
    json_t *o = json_status(x->status), *value;
    const char *key;
    void *next;
    json_add(o, "least", x->least, "most", x->most, "mean", x->mean, "median", x->median, "share_below_zero", x->better,
             "exp_mean", x->ratio, "pairing_gain", x->vr, "correlation", x->r);
    if (x->status == ST_OK) json_add(o, "d_z", x->d_z, "g_z", x->g_z, "hedges_j", x->j, "skewness", x->skew);
    json_add(o, "share_better", comparison_share_better(c));
    json_object_foreach_safe(o, next, key, value) {
        if (strcmp(key, "status") && !json_is_number(value)) json_object_del(o, key);
    }
    return o;
}

json_t *json_chance(const StChance *x) {
    json_t *o = json_status(x->status);
    if (isnan(x->share)) return o;
    json_add(o, "share", x->share);
    if (x->status == ST_OK) json_add(o, "confidence", x->conf, "lo", x->lo, "hi", x->hi);
    json_add(o, "wins", x->wins, "ties", x->ties, "total", x->total, "p", json_known(x->p));
    return json_with_floor(o, fmin(1, ldexp(2, -(int)(x->total - x->ties))));
}

static json_t *posterior_json(const Comparison *c, const ComparisonJson *j) {
    const StPosterior *p = &c->posterior;
    if (isnan(j->margin)) return json_not_made("not made: no --margin");
    json_t *o = json_status(p->status);
    if (p->status != ST_OK) return o;
    return json_add(o, "better", c->higher ? p->above : p->below, "practically_equal", p->inside, "worse",
                    c->higher ? p->below : p->above, "prior", comparison_prior, "decides", json_false());
}

static void put_power(json_t *o, const char *key, const StPower *p, double value) {
    json_add(o, key, p->status == ST_OK ? json_of_real(value) : json_status(p->status));
}

static json_t *power_json(const Family *f, const Comparison *c) {
    json_t *o = json_status(c->t.status);
    if (c->t.status != ST_OK) return o;
    json_add(o, "of", family_power_by_flips(f) ? "sign flips" : "t test", "d_z", c->power.d_z, "alpha", c->power.alpha);
    put_power(o, "power", &c->power, c->power.power);
    json_add(o, "sd", c->t.sd, "sd_95", json_interval(c->sd.status, c->sd.lo, c->sd.hi));
    put_power(o, "seeds_for_80", &c->seeds_needed, (double)c->seeds_needed.n);
    put_power(o, "seeds_for_80_least", &c->seeds_least, (double)c->seeds_least.n);
    put_power(o, "seeds_for_80_most", &c->seeds_most, (double)c->seeds_most.n);
    put_power(o, "detectable_d_z", &c->detectable, c->detectable.d_z);
    put_power(o, "detectable", &c->detectable, c->detectable.d_z * c->t.sd);
    return o;
}

json_t *json_variance(const StVariance *v, const char *statistic) {
    json_t *o = json_status(v->status);
    if (v->status == ST_OK) {
        json_add(o, statistic, v->stat, "df", v->df1, "df2", json_known(v->df2), "p", v->p);
        if (!isnan(v->p_swap)) json_add(o, "p_swap", v->p_swap, "p_one_seed_left_out", v->p_left_out);
    }
    return json_with_floor(json_add(o, "variance_ratio", json_known(v->ratio)), 0);
}

static json_t *seeds_by_blocks(const StCrossed *x) {
    json_t *o = json_status(x->status);
    if (x->status != ST_OK) return o;
    json_add(o, "blocks", x->blocks_n, "mean", x->mean, "se", x->se, "df", x->df, "lo", x->lo, "hi", x->hi, "p", x->p,
             "lag1", x->lag1);
    return json_add(o, "floored", x->floored);
}

static json_t *crossed_json(const Comparison *c) {
    json_t *o = json_with_floor(seeds_by_blocks(&c->crossed), 0), *joined = json_status(c->joined.status), *pigeons;
    json_add(joined, "blocks_per_block", c->joined.factor, "blocks", c->joined.blocks, "dropped", c->joined.dropped,
             "lag1", json_known(c->joined.lag1));
    pigeons = c->no_pigeonhole ? json_not_made(c->no_pigeonhole) : json_status(c->pigeonhole.status);
    if (!c->no_pigeonhole && c->pigeonhole.status == ST_OK) {
        const StPigeonhole *p = &c->pigeonhole;
        json_add(pigeons, "exact", p->exact, "resamples", p->total, "mean", p->mean, "se", p->se, "lo", p->lo, "hi",
                 p->hi);
    }
    return json_add(o, "joined", joined, "pigeonhole", pigeons);
}

void json_put_fisher(json_t *o, const Comparison *c) {
    json_t *f = json_status(c->fisher.status);
    if (c->fisher.status == ST_OK)
        json_add(json_with_floor(json_add(f, "p", c->fisher.p), c->fisher.p_min), "odds", json_known(c->fisher.odds));
    json_add(o, "fisher", f);
}

static void joint_json(json_t *o, const Family *f, const Comparison *c) {
    bool made = f->joint.status == ST_OK && !isnan(c->joint.step);
    const struct {
        const char *key;
        double p;
        uint64_t count;
    } rows[] = {{"max_t_step_down", c->joint.step, c->joint.step_count},
                {"max_t_single_step", c->joint.single, c->joint.single_count}};
    for (size_t i = 0; i < 2; i++)
        json_add(o, rows[i].key,
                 made ? json_with_floor(json_share(rows[i].p, rows[i].count, f->joint.total), f->floor)
                      : json_status(f->joint.status == ST_OK ? ST_BAD_ARG : f->joint.status));
    size_t n = (size_t)f->n, k = (size_t)f->count;
    json_add(o, "holm", json_holm(f, c), "hochberg", json_p(c->hochberg, st_test_find("hochberg")->floor(n, k)),
             "benjamini_hochberg", json_p(c->bh, st_test_find("bh")->floor(n, k)));
}

/* The sentence beside the code; a contrast of more than two arms has none. */
static void put_words(json_t *o, const char *key, const Comparison *c, Decision d, const ComparisonJson *j) {
    LOCAL_TEXT(words);
    if (c->what.terms > 2) return;
    j->words(j->of, c, d, &words);
    json_add(o, key, words.at);
}

void comparison_json_head(json_t *o, const Comparison *c, const ComparisonJson *j) {
    json_add(o, "decision", j->code(j->of, c->decision));
    put_words(o, "verdict", c, c->decision, j);
    json_add(o, "diverged_arm", c->diverged_a, "diverged_baseline", c->diverged_b, "intervals_decide", c->t_decides);
}

void comparison_json_tail(json_t *o, const Comparison *c, const ComparisonJson *j) {
    json_add(o, "decision_on_ranks", j->code(j->of, c->decision_ranks));
    put_words(o, "verdict_on_ranks", c, c->decision_ranks, j);
    if (c->decision_capped != c->decision) json_add(o, "decision_with_cap", j->code(j->of, c->decision_capped));
}

void comparison_json(json_t *o, const Family *f, const Comparison *c, const ComparisonJson *j) {
    const unsigned tests = f->tests;
    bool shown = c->t_decides || !j->withheld;
    json_t *none = json_not_made(shown ? "" : j->withheld), *margin = json_not_made(NO_MARGIN);
#define PUT(key, value) json_add(o, key, shown ? (value) : json_incref(none))
#define IN_MARGIN(key, value) \
    json_add(o, key, isnan(j->margin) ? json_incref(margin) : shown ? (value) : json_incref(none))
    comparison_json_head(o, c, j);
    PUT("t_interval", json_with_floor(json_t_interval(&c->t), 0));
    json_add(o, "sign_flip", json_flip(&c->flip));
    joint_json(o, f, c);
    if (tests & PAIRED_WILCOXON) json_add(o, "wilcoxon", wilcoxon_json(&c->wilcoxon));
    if (tests & PAIRED_BOOT) json_add(o, "bootstrap", boot_json(&c->boot));
    IN_MARGIN("tost", json_with_floor(json_tost(&c->tost, j->margin), 0));
    IN_MARGIN("inside_margin", json_inside(f, c));
    PUT("sign_flip_interval", json_flip_interval(f, c));
    json_add(o, "effect", effect_json(c));
    if (tests & PAIRED_CHANCE) {
        json_add(o, "improvement", json_chance(&c->chance));
        PUT("posterior", posterior_json(c, j));
    }
    if (tests & PAIRED_POWER) PUT("power", power_json(f, c));
    json_add(o, "mcnemar",
             json_add(json_p(c->mcnemar.p, c->mcnemar.p_min), "only_arm", c->only_a, "only_baseline", c->only_b));
    if (tests & PAIRED_DIVERGED) json_put_fisher(o, c);
    if (tests & PAIRED_LEVENE) PUT("levene", json_variance(&c->levene, "f"));
    if (tests & PAIRED_VARIANCE) PUT("pitman_morgan", json_variance(&c->pitman_morgan, "t"));
    if (j->blocks) PUT("seeds_by_blocks", crossed_json(c));
    if (translations_made(c)) json_add(o, "seeds_by_sentences", json_corpus(&c->corpus));
    json_add(o, "stalled", json_stalled(c), "one_seed_left_out", json_left_out(c, j->code, j->of), "max_t_on_ranks",
             isnan(c->joint_ranks) ? json_not_made(st_status_text(c->status == ST_OK ? ST_BAD_ARG : c->status))
                                   : json_p(c->joint_ranks, f->floor));
    comparison_json_tail(o, c, j);
#undef IN_MARGIN
#undef PUT
    json_decref(none), json_decref(margin);
}
