#include "bench/store/rounded.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/trainer_look.h"

static const char *const passes[] = {
    [PASS_weights] = "weights", [PASS_forward] = "forward", [PASS_backward] = "backward"};

const char *rounded_pass(RoundPass pass) {
    return passes[pass];
}

/* Members of a site's counts, with their names in JSON. */
#define COUNTS(C) C("inf", infinite) C("nan", nan) C("over", over) C("subnormal", subnormal) C("flushed", flushed)

void rounded_release(RoundedRun *r) {
    free(r->site);
    *r = (RoundedRun){0};
}

static bool any(const Rounded *n) {
    return n->infinite || n->nan || n->over || n->subnormal || n->flushed;
}

typedef struct {
    int order, index;
} Place;

static int by_order(const void *a, const void *b) {
    const Place *x = a, *y = b;
    return x->order != y->order ? (x->order > y->order) - (x->order < y->order) : x->index - y->index;
}

void rounded_take(RoundedRun *r, Trainer *t, int replica) {
    int sites = trainer_sites(t);
    rounded_release(r);
    if (!sites) return;
    Rounded *count = mem_alloc((size_t)sites, sizeof *count);
    OWNED Place *place = mem_alloc((size_t)sites, sizeof *place);
    trainer_rounded(t, replica, count);
    *r = (RoundedRun){.known = true, .scaled = trainer_scaled(t)};
    if (r->scaled) r->scale = trainer_scale(t, replica);
    for (int i = 0; i < sites; i++)
        if (any(&count[i])) place[r->sites++] = (Place){trainer_site(t, i).order, i};
    qsort(place, (size_t)r->sites, sizeof *place, by_order);
    r->site = mem_alloc((size_t)r->sites, sizeof *r->site);
    for (int i = 0; i < r->sites; i++) {
        RoundSite from = trainer_site(t, place[i].index);
        r->site[i] = (RoundedSite){.layer = from.layer, .pass = from.pass, .count = count[place[i].index]};
        snprintf(r->site[i].tensor, sizeof r->site[i].tensor, "%s", from.tensor);
    }
    free(count);
}

double rounded_overflows(const RoundedRun *r) {
    double total = 0;
    for (int i = 0; i < r->sites; i++) total += (double)r->site[i].count.over;
    return r->known ? total : (double)NAN;
}

const RoundedSite *rounded_first(const RoundedRun *r) {
    const RoundedSite *best = NULL;
    for (int i = 0; i < r->sites; i++) {
        const RoundedSite *s = &r->site[i];
        if (s->count.first && (!best || s->count.first < best->count.first)) best = s;
    }
    return best;
}

double rounded_first_step(const RoundedRun *r) {
    const RoundedSite *first = rounded_first(r);
    return first ? (double)first->count.first - 1 : (double)NAN;
}

static json_t *site_json(const RoundedSite *s) {
    json_t *o = json_pack("{s:s, s:i, s:s}", "site", s->tensor, "layer", s->layer, "pass", passes[s->pass]);
#define C(key, member) json_object_set_new(o, key, json_integer((json_int_t)s->count.member));
    COUNTS(C)
#undef C
    if (s->count.first) json_object_set_new(o, "first_over", json_integer((json_int_t)s->count.first - 1));
    return o;
}

json_t *rounded_json(const RoundedRun *r) {
    if (!r->known) return NULL;
    json_t *o = json_object(), *sites = json_array();
    const RoundedSite *first = rounded_first(r);
    json_object_set_new(o, "overflows", json_integer((json_int_t)rounded_overflows(r)));
    json_object_set_new(o, "first_overflow",
                        first ? json_pack("{s:I, s:i, s:s, s:s}", "step", (json_int_t)first->count.first - 1, "layer",
                                          first->layer, "site", first->tensor, "pass", passes[first->pass])
                              : json_null());
    if (r->scaled)
        json_object_set_new(o, "loss_scale",
                            json_pack("{s:f, s:i, s:i}", "now", r->scale.now, "good", (int)r->scale.good, "skipped",
                                      (int)r->scale.skipped));
    for (int i = 0; i < r->sites; i++) json_array_append_new(sites, site_json(&r->site[i]));
    json_object_set_new(o, "sites", sites);
    return o;
}

static Rc parse_site(RoundedSite *s, const json_t *o, Error *e) {
    const char *tensor = json_string_value(json_object_get(o, "site"));
    const char *pass = json_string_value(json_object_get(o, "pass"));
    const json_t *first = json_object_get(o, "first_over");
    if (!tensor || strlen(tensor) >= sizeof s->tensor || !pass)
        return error_set(e, RC_INTEGRITY, "rounded: a site has no name or pass");
    strcpy(s->tensor, tensor);
    s->layer = (int)json_integer_value(json_object_get(o, "layer"));
    while (s->pass <= PASS_backward && strcmp(pass, passes[s->pass])) s->pass++;
    if (s->pass > PASS_backward) return error_set(e, RC_INTEGRITY, "rounded: '%.20s' is no pass", pass);
#define C(key, member) s->count.member = (uint64_t)json_integer_value(json_object_get(o, key));
    COUNTS(C)
#undef C
    s->count.first = first ? (uint64_t)json_integer_value(first) + 1 : 0;
    return RC_OK;
}

Rc rounded_parse(RoundedRun *r, const json_t *value, Error *e) {
    size_t i;
    const json_t *site, *sites = json_object_get(value, "sites"), *scale = json_object_get(value, "loss_scale");
    *r = (RoundedRun){0};
    if (!value) return RC_OK;
    if (!json_is_array(sites)) return error_set(e, RC_INTEGRITY, "rounded: it has no sites");
    *r = (RoundedRun){.known = true, .sites = (int)json_array_size(sites), .scaled = scale != NULL};
    r->site = mem_alloc((size_t)r->sites, sizeof *r->site);
    r->scale = (LossScale){json_number_value(json_object_get(scale, "now")),
                           (int32_t)json_integer_value(json_object_get(scale, "good")),
                           (int32_t)json_integer_value(json_object_get(scale, "skipped"))};
    json_array_foreach(sites, i, site) if (parse_site(&r->site[i], site, e)) return e->code;
    return RC_OK;
}
