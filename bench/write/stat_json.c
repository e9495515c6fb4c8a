#include "bench/write/stat_json.h"

#include <math.h>
#include <string.h>

#include "bench/formats/json.h"
#include "bench/store/provenance.h"
#include "bench/verdict/translations.h"
#include "stats/tests.h"

void json_put(json_t *object, const char *key, double x) {
    json_object_set_new(object, key, json_number_of(x == 0 ? 0 : x));
}

void json_put_text(json_t *object, const char *key, const char *text) {
    json_t *value = json_string(text);
    json_object_set_new(object, key, value ? value : json_string("(not UTF-8)"));
}

void json_put_made_by(json_t *object) {
    json_put_text(object, "made_by", "normbench " NORMBENCH_VERSION);
    json_put_text(object, "commit", provenance_commit());
}

/* {status: why} of something that was not made. */
json_t *json_not_made(const char *why) {
    json_t *o = json_object();
    json_put_text(o, "status", why);
    return o;
}

json_t *json_status(StStatus status) {
    return json_not_made(st_status_text(status));
}

/* A p beside the smallest one that could have come out; 0: any p > 0. */
json_t *json_with_floor(json_t *o, double floor) {
    if (json_object_get(o, "p")) json_put(o, "floor", floor);
    return o;
}

static json_t *json_p(double p, double floor) {
    json_t *o = json_object();
    json_put(o, "p", p);
    return json_with_floor(o, floor);
}

void json_put_count(json_t *o, const char *key, uint64_t n) {
    json_object_set_new(o, key, json_integer((json_int_t)n));
}

json_t *json_share(double p, uint64_t count, uint64_t total) {
    json_t *o = json_object();
    json_put(o, "p", p);
    json_object_set_new(o, "count", json_integer((json_int_t)count));
    json_object_set_new(o, "total", json_integer((json_int_t)total));
    return o;
}

static json_t *json_interval(StStatus status, double lo, double hi) {
    json_t *o = json_status(status);
    if (!isnan(lo)) json_put(o, "lo", lo), json_put(o, "hi", hi);
    return o;
}

json_t *json_t_interval(const StTci *t) {
    json_t *o = json_status(t->status);
    bool ok = t->status == ST_OK;
    if (ok || t->status == ST_N_TOO_SMALL || t->status == ST_DEGENERATE) json_put(o, "mean", t->mean);
    if (!ok) return o;
    json_put(o, "confidence", t->conf), json_put(o, "lo", t->lo), json_put(o, "hi", t->hi);
    if (!isnan(t->sd)) json_put(o, "sd", t->sd);
    json_put(o, "se", t->se), json_put(o, "t", t->t), json_put(o, "df", t->df);
    json_put(o, "p", t->p);
    return o;
}

static json_t *json_flip(const StSignflip *f) {
    json_t *o = json_status(f->status);
    if (f->status != ST_OK) return o;
    json_object_update_new(o, json_share(f->p, f->count, f->total));
    json_object_set_new(o, "exact", json_boolean(f->exact));
    json_put(o, "floor", f->p_min), json_put(o, "floor_given_zeros", f->p_min_here);
    json_object_set_new(o, "zeros", json_integer((json_int_t)f->zeros));
    json_put(o, "lo", f->p_lo), json_put(o, "hi", f->p_hi);
    return o;
}

static json_t *boot_share(const StShare *x, const StBoot *b) {
    return json_with_floor(json_share(x->p, x->count, x->total), 1 / (double)b->total);
}

static json_t *boot_json(const StBoot *b) {
    json_t *o = json_status(b->status);
    if (b->status != ST_OK) return o;
    json_object_set_new(o, "exact", json_boolean(b->exact));
    json_object_set_new(o, "resamples", json_integer((json_int_t)b->total));
    json_object_set_new(o, "decides", json_boolean(b->n >= ST_BOOT_DECIDES));
    json_put(o, "mean", b->mean), json_put(o, "se", b->se), json_put(o, "bias", b->bias),
        json_put(o, "accel", b->accel);
    json_object_set_new(o, "percentile", json_interval(b->percentile.status, b->percentile.lo, b->percentile.hi));
    json_object_set_new(o, "basic", json_interval(b->basic.status, b->basic.lo, b->basic.hi));
    json_object_set_new(o, "bca", json_interval(b->bca.status, b->bca.lo, b->bca.hi));
    json_object_set_new(o, "p_percentile", boot_share(&b->pct, b));
    json_object_set_new(o, "p_shift", boot_share(&b->shift, b));
    json_object_set_new(o, "p_koehn", boot_share(&b->koehn, b));
    return o;
}

static json_t *json_holm(const Family *f, const Comparison *c) {
    json_t *o = json_object();
    json_put(o, "p", c->holm);
    json_put(o, "floor", fmin(1, f->count * f->floor));
    return o;
}

json_t *json_flip_interval(const Family *f, const Comparison *c) {
    const StFlipCi *all = &c->together, *one = &c->alone;
    json_t *o = f->no_interval ? json_object() : json_status(all->status);
    if (f->no_interval) json_put_text(o, "status", f->no_interval);
    if (f->no_interval) return o;
    bool joint = all->status == ST_OK;
    if (joint || one->status == ST_OK) json_put(o, "confidence", joint ? all->conf : one->conf);
    if (joint) json_put(o, "lo", all->lo), json_put(o, "hi", all->hi);
    if (one->status == ST_OK) json_put(o, "alone_lo", one->lo), json_put(o, "alone_hi", one->hi);
    return o;
}

static json_t *json_inside(const Family *f, const Comparison *c) {
    json_t *o = json_status(isnan(c->inside_p) ? ST_N_TOO_SMALL : ST_OK);
    if (isnan(c->inside_p)) return o;
    json_put(o, "p", c->inside_p), json_put(o, "floor", st_test_find("tost")->floor((size_t)f->n, 1));
    json_object_set_new(o, "inside", json_boolean(c->inside));
    json_put(o, "unseen", st_unseen((size_t)f->n, f->alpha));
    const StPairs *p = &c->pairs;
    double margin = c->what.margin, room = st_tost_room(p->d, p->n, p->scale, -margin, margin, f->alpha);
    if (c->inside && !isnan(room)) json_put(o, "undone_beyond", room);
    return o;
}

static json_t *json_left_out(const Comparison *c, const char *(*name)(const void *, Decision), const void *of) {
    json_t *o = json_object();
    json_put_text(o, "status", c->turning < 0 ? "not looked at: too few seeds, or too many" : "ok");
    if (c->turning < 0) return o;
    json_object_set_new(o, "seeds", json_integer(c->turning));
    if (!c->turning) return o;
    json_object_set_new(o, "seed", json_integer((json_int_t)c->pairs.seed[c->turning_seed]));
    json_put_text(o, "decision", name(of, c->turned));
    return o;
}

static json_t *json_stalled(const Comparison *c) {
    json_t *o = json_object();
    json_put_text(o, "status", c->stalled_a < 0 ? "not known" : "ok");
    if (c->stalled_a < 0) return o;
    json_object_set_new(o, "arm", json_integer(c->stalled_a));
    json_object_set_new(o, "baseline", json_integer(c->stalled_b));
    json_object_set_new(o, "only_arm", json_integer(c->only_stalled_a));
    json_object_set_new(o, "only_baseline", json_integer(c->only_stalled_b));
    json_put(o, "p", c->stall.p), json_put(o, "floor", c->stall.p_min);
    return o;
}

json_t *json_tost(const StTost *x, double margin) {
    json_t *o = json_status(x->status);
    json_put(o, "margin", margin);
    if (x->status != ST_OK) return o;
    json_put(o, "p", x->p), json_put(o, "p_lower", x->p_lower), json_put(o, "p_upper", x->p_upper);
    json_put(o, "lo", x->ci_lo), json_put(o, "hi", x->ci_hi);
    json_object_set_new(o, "equivalent", json_boolean(x->equivalent));
    return o;
}

static json_t *json_corpus(const StCorpus *x) {
    json_t *o = json_status(x->status), *alone = json_object();
    json_put(o, "mean", x->mean), json_put(o, "se", x->se), json_put(o, "lo", x->lo), json_put(o, "hi", x->hi);
    json_put(alone, "se", x->sentences.se), json_put(alone, "lo", x->sentences.lo);
    json_put(alone, "hi", x->sentences.hi);
    json_object_set_new(o, "sentences_alone", alone);
    json_object_set_new(o, "sentences", json_integer((json_int_t)x->items));
    json_object_set_new(o, "resamples", json_integer((json_int_t)x->draws));
    return o;
}

#define NO_MARGIN "not tested: no --margin"

const char comparison_prior[] =
    "flat in the mean difference and in ln of its sd, p(mean, sd) ~ 1/sd, with normal, independent differences";

static json_t *wilcoxon_json(const StWilcoxon *w) {
    json_t *o = json_status(w->status);
    if (w->status != ST_OK) return o;
    json_object_update_new(o, json_share(w->p, w->count, w->total));
    json_object_set_new(o, "exact", json_boolean(w->exact));
    json_put(o, "w", w->w);
    json_put_count(o, "zeros", w->zeros);
    return json_with_floor(o, w->p_min);
}

/* What these seeds leave undefined is absent. */
static json_t *effect_json(const Comparison *c, const ComparisonJson *j) {
    const StEffect *x = &c->effect;
    json_t *o = json_status(x->status), *value;
    const char *key;
    void *next;
    json_put(o, "least", x->least), json_put(o, "most", x->most);
    json_put(o, "mean", x->mean), json_put(o, "median", x->median), json_put(o, "share_below_zero", x->better);
    json_put(o, "exp_mean", x->ratio), json_put(o, "pairing_gain", x->vr), json_put(o, "correlation", x->r);
    if (x->status == ST_OK)
        json_put(o, "d_z", x->d_z), json_put(o, "g_z", x->g_z), json_put(o, "hedges_j", x->j),
            json_put(o, "skewness", x->skew);
    json_put(o, "share_better", j->higher ? 1 - c->effect.better : c->effect.better);
    json_object_foreach_safe(o, next, key, value) {
        if (strcmp(key, "status") && !json_is_number(value)) json_object_del(o, key);
    }
    return o;
}

json_t *json_chance(const StChance *x) {
    json_t *o = json_status(x->status);
    if (isnan(x->share)) return o;
    json_put(o, "share", x->share);
    if (x->status == ST_OK) json_put(o, "confidence", x->conf), json_put(o, "lo", x->lo), json_put(o, "hi", x->hi);
    json_put_count(o, "wins", x->wins), json_put_count(o, "ties", x->ties), json_put_count(o, "total", x->total);
    if (!isnan(x->p)) json_put(o, "p", x->p);
    return json_with_floor(o, fmin(1, ldexp(2, -(int)(x->total - x->ties))));
}

static json_t *posterior_json(const Comparison *c, const ComparisonJson *j) {
    const StPosterior *p = &c->posterior;
    if (isnan(j->margin)) return json_not_made("not made: no --margin");
    json_t *o = json_status(p->status);
    if (p->status != ST_OK) return o;
    json_put(o, "better", j->higher ? p->above : p->below);
    json_put(o, "practically_equal", p->inside);
    json_put(o, "worse", j->higher ? p->below : p->above);
    json_put_text(o, "prior", comparison_prior);
    json_object_set_new(o, "decides", json_false());
    return o;
}

static void put_power(json_t *o, const char *key, const StPower *p, double value) {
    if (p->status == ST_OK)
        json_put(o, key, value);
    else
        json_object_set_new(o, key, json_not_made(st_status_text(p->status)));
}

static json_t *power_json(const Family *f, const Comparison *c) {
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

json_t *json_variance(const StVariance *v, const char *statistic) {
    json_t *o = json_status(v->status);
    if (v->status == ST_OK) {
        json_put(o, statistic, v->stat), json_put(o, "df", v->df1);
        if (!isnan(v->df2)) json_put(o, "df2", v->df2);
        json_put(o, "p", v->p);
        if (!isnan(v->p_swap)) json_put(o, "p_swap", v->p_swap), json_put(o, "p_one_seed_left_out", v->p_left_out);
    }
    if (!isnan(v->ratio)) json_put(o, "variance_ratio", v->ratio);
    return json_with_floor(o, 0);
}

static json_t *seeds_by_blocks(const StCrossed *x) {
    json_t *o = json_status(x->status);
    if (x->status != ST_OK) return o;
    json_object_set_new(o, "blocks", json_integer((json_int_t)x->blocks_n));
    json_put(o, "mean", x->mean), json_put(o, "se", x->se), json_put(o, "df", x->df);
    json_put(o, "lo", x->lo), json_put(o, "hi", x->hi), json_put(o, "p", x->p);
    json_put(o, "lag1", x->lag1);
    json_object_set_new(o, "floored", json_boolean(x->floored));
    return o;
}

static json_t *crossed_json(const Comparison *c) {
    json_t *o = json_with_floor(seeds_by_blocks(&c->crossed), 0), *joined = json_status(c->joined.status), *pigeons;
    json_put_count(joined, "blocks_per_block", c->joined.factor), json_put_count(joined, "blocks", c->joined.blocks);
    json_put_count(joined, "dropped", c->joined.dropped);
    if (!isnan(c->joined.lag1)) json_put(joined, "lag1", c->joined.lag1);
    json_object_set_new(o, "joined", joined);
    pigeons = c->no_pigeonhole ? json_not_made(c->no_pigeonhole) : json_status(c->pigeonhole.status);
    if (!c->no_pigeonhole && c->pigeonhole.status == ST_OK) {
        const StPigeonhole *p = &c->pigeonhole;
        json_object_set_new(pigeons, "exact", json_boolean(p->exact));
        json_put_count(pigeons, "resamples", p->total);
        json_put(pigeons, "mean", p->mean), json_put(pigeons, "se", p->se);
        json_put(pigeons, "lo", p->lo), json_put(pigeons, "hi", p->hi);
    }
    json_object_set_new(o, "pigeonhole", pigeons);
    return o;
}

void json_put_fisher(json_t *o, const Comparison *c) {
    json_t *f = json_status(c->fisher.status);
    if (c->fisher.status == ST_OK) {
        json_put(f, "p", c->fisher.p);
        json_with_floor(f, c->fisher.p_min);
        if (!isnan(c->fisher.odds)) json_put(f, "odds", c->fisher.odds);
    }
    json_object_set_new(o, "fisher", f);
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
        json_object_set_new(o, rows[i].key,
                            made ? json_with_floor(json_share(rows[i].p, rows[i].count, f->joint.total), f->floor)
                                 : json_status(f->joint.status == ST_OK ? ST_BAD_ARG : f->joint.status));
    size_t n = (size_t)f->n, k = (size_t)f->count;
    json_object_set_new(o, "holm", json_holm(f, c));
    json_object_set_new(o, "hochberg", json_p(c->hochberg, st_test_find("hochberg")->floor(n, k)));
    json_object_set_new(o, "benjamini_hochberg", json_p(c->bh, st_test_find("bh")->floor(n, k)));
}

/* The sentence beside the code; a contrast of more than two arms has none. */
static void put_words(json_t *o, const char *key, const Comparison *c, Decision d, const ComparisonJson *j) {
    Text words;
    if (c->what.terms > 2) return;
    text_init(&words);
    j->words(j->of, c, d, &words);
    json_put_text(o, key, words.at);
    text_release(&words);
}

void comparison_json_head(json_t *o, const Comparison *c, const ComparisonJson *j) {
    json_put_text(o, "decision", j->code(j->of, c->decision));
    put_words(o, "verdict", c, c->decision, j);
    json_put_count(o, "diverged_arm", (uint64_t)c->diverged_a);
    json_put_count(o, "diverged_baseline", (uint64_t)c->diverged_b);
    json_object_set_new(o, "intervals_decide", json_boolean(c->t_decides));
}

void comparison_json_tail(json_t *o, const Comparison *c, const ComparisonJson *j) {
    json_put_text(o, "decision_on_ranks", j->code(j->of, c->decision_ranks));
    put_words(o, "verdict_on_ranks", c, c->decision_ranks, j);
    if (c->decision_capped != c->decision) json_put_text(o, "decision_with_cap", j->code(j->of, c->decision_capped));
}

void comparison_json(json_t *o, const Family *f, const Comparison *c, const ComparisonJson *j) {
    const unsigned tests = f->tests;
    bool shown = c->t_decides || !j->withheld;
    json_t *none = json_not_made(shown ? "" : j->withheld),
           *margin = isnan(j->margin) ? json_not_made(NO_MARGIN) : NULL;
#define PUT(key, value) json_object_set_new(o, key, shown ? (value) : json_incref(none))
    comparison_json_head(o, c, j);
    PUT("t_interval", json_with_floor(json_t_interval(&c->t), 0));
    json_object_set_new(o, "sign_flip", json_flip(&c->flip));
    joint_json(o, f, c);
    if (tests & PAIRED_WILCOXON) json_object_set_new(o, "wilcoxon", wilcoxon_json(&c->wilcoxon));
    if (tests & PAIRED_BOOT) json_object_set_new(o, "bootstrap", boot_json(&c->boot));
    json_object_set_new(o, "tost",
                        margin  ? json_incref(margin)
                        : shown ? json_with_floor(json_tost(&c->tost, j->margin), 0)
                                : json_incref(none));
    json_object_set_new(o, "inside_margin",
                        margin  ? json_incref(margin)
                        : shown ? json_inside(f, c)
                                : json_incref(none));
    PUT("sign_flip_interval", json_flip_interval(f, c));
    json_object_set_new(o, "effect", effect_json(c, j));
    if (tests & PAIRED_CHANCE) {
        json_object_set_new(o, "improvement", json_chance(&c->chance));
        PUT("posterior", posterior_json(c, j));
    }
    if (tests & PAIRED_POWER) PUT("power", power_json(f, c));
    json_t *mcnemar = json_p(c->mcnemar.p, c->mcnemar.p_min);
    json_put_count(mcnemar, "only_arm", (uint64_t)c->only_a),
        json_put_count(mcnemar, "only_baseline", (uint64_t)c->only_b);
    json_object_set_new(o, "mcnemar", mcnemar);
    if (tests & PAIRED_DIVERGED) json_put_fisher(o, c);
    if (tests & PAIRED_LEVENE) PUT("levene", json_variance(&c->levene, "f"));
    if (tests & PAIRED_VARIANCE) PUT("pitman_morgan", json_variance(&c->pitman_morgan, "t"));
    if (j->blocks) PUT("seeds_by_blocks", crossed_json(c));
    if (translations_made(c)) json_object_set_new(o, "seeds_by_sentences", json_corpus(&c->corpus));
    json_object_set_new(o, "stalled", json_stalled(c));
    json_object_set_new(o, "one_seed_left_out", json_left_out(c, j->code, j->of));
    json_object_set_new(o, "max_t_on_ranks",
                        isnan(c->joint_ranks)
                            ? json_not_made(st_status_text(c->status == ST_OK ? ST_BAD_ARG : c->status))
                            : json_p(c->joint_ranks, f->floor));
    comparison_json_tail(o, c, j);
#undef PUT
    json_decref(none);
    if (margin) json_decref(margin);
}
