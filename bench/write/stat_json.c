#include "bench/write/stat_json.h"

#include <math.h>

#include "bench/formats/json.h"
#include "bench/store/provenance.h"
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

json_t *json_status(StStatus status) {
    json_t *o = json_object();
    json_put_text(o, "status", st_status_text(status));
    return o;
}

json_t *json_share(double p, uint64_t count, uint64_t total) {
    json_t *o = json_object();
    json_put(o, "p", p);
    json_object_set_new(o, "count", json_integer((json_int_t)count));
    json_object_set_new(o, "total", json_integer((json_int_t)total));
    return o;
}

json_t *json_interval(StStatus status, double lo, double hi) {
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

json_t *json_flip(const StSignflip *f) {
    json_t *o = json_status(f->status);
    if (f->status != ST_OK) return o;
    json_object_update_new(o, json_share(f->p, f->count, f->total));
    json_object_set_new(o, "exact", json_boolean(f->exact));
    json_put(o, "floor", f->p_min), json_put(o, "floor_given_zeros", f->p_min_here);
    json_object_set_new(o, "zeros", json_integer((json_int_t)f->zeros));
    json_put(o, "lo", f->p_lo), json_put(o, "hi", f->p_hi);
    return o;
}

json_t *json_boot(const StBoot *b) {
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
    json_object_set_new(o, "p_percentile", json_share(b->pct.p, b->pct.count, b->pct.total));
    json_object_set_new(o, "p_shift", json_share(b->shift.p, b->shift.count, b->shift.total));
    json_object_set_new(o, "p_koehn", json_share(b->koehn.p, b->koehn.count, b->koehn.total));
    return o;
}

json_t *json_holm(const Family *f, const Comparison *c) {
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

json_t *json_inside(const Family *f, const Comparison *c) {
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

json_t *json_left_out(const Comparison *c, const char *(*name)(const void *, Decision), const void *of) {
    json_t *o = json_object();
    json_put_text(o, "status", c->turning < 0 ? "not looked at: too few seeds, or too many" : "ok");
    if (c->turning < 0) return o;
    json_object_set_new(o, "seeds", json_integer(c->turning));
    if (!c->turning) return o;
    json_object_set_new(o, "seed", json_integer((json_int_t)c->pairs.seed[c->turning_seed]));
    json_put_text(o, "decision", name(of, c->turned));
    return o;
}

json_t *json_stalled(const Comparison *c) {
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

json_t *json_effect(const StEffect *x) {
    json_t *o = json_status(x->status);
    json_put(o, "least", x->least), json_put(o, "most", x->most);
    json_put(o, "mean", x->mean), json_put(o, "median", x->median), json_put(o, "share_below_zero", x->better);
    json_put(o, "exp_mean", x->ratio), json_put(o, "pairing_gain", x->vr), json_put(o, "correlation", x->r);
    if (x->status == ST_OK)
        json_put(o, "d_z", x->d_z), json_put(o, "g_z", x->g_z), json_put(o, "hedges_j", x->j),
            json_put(o, "skewness", x->skew);
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

json_t *json_corpus(const StCorpus *x) {
    json_t *o = json_status(x->status), *alone = json_object();
    json_put(o, "mean", x->mean), json_put(o, "se", x->se), json_put(o, "lo", x->lo), json_put(o, "hi", x->hi);
    json_put(alone, "se", x->sentences.se), json_put(alone, "lo", x->sentences.lo);
    json_put(alone, "hi", x->sentences.hi);
    json_object_set_new(o, "sentences_alone", alone);
    json_object_set_new(o, "sentences", json_integer((json_int_t)x->items));
    json_object_set_new(o, "resamples", json_integer((json_int_t)x->draws));
    return o;
}

json_t *json_crossed(const StCrossed *x) {
    json_t *o = json_status(x->status);
    if (x->status != ST_OK) return o;
    json_object_set_new(o, "blocks", json_integer((json_int_t)x->blocks_n));
    json_put(o, "mean", x->mean), json_put(o, "se", x->se), json_put(o, "df", x->df);
    json_put(o, "lo", x->lo), json_put(o, "hi", x->hi), json_put(o, "p", x->p);
    json_put(o, "lag1", x->lag1);
    json_object_set_new(o, "floored", json_boolean(x->floored));
    return o;
}
