#include "bench/store/rounded.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/formats/json.h"
#include "models/trainer_look.h"

static const char *const passes[] = {
    [PASS_weights] = "weights", [PASS_forward] = "forward", [PASS_backward] = "backward"};

const char *rounded_pass(RoundPass pass) {
    return passes[pass];
}

static const JsonField counts[] = {JSON_FIELD_AS("inf", Rounded, infinite),
                                   JSON_FIELD(Rounded, nan),
                                   JSON_FIELD(Rounded, over),
                                   JSON_FIELD(Rounded, subnormal),
                                   JSON_FIELD(Rounded, flushed),
                                   {0}};
static const JsonField loss_scale[] = {
    JSON_FIELD(LossScale, now), JSON_FIELD(LossScale, good), JSON_FIELD(LossScale, skipped), {0}};

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
    OWNED Rounded *count = mem_alloc((size_t)sites, sizeof *count);
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
    json_t *o = json_new("site", s->tensor, "layer", s->layer, "pass", passes[s->pass]);
    json_put(o, counts, &s->count);
    return s->count.first ? json_add(o, "first_over", s->count.first - 1) : o;
}

json_t *rounded_json(const RoundedRun *r) {
    if (!r->known) return NULL;
    json_t *sites = json_array();
    const RoundedSite *first = rounded_first(r);
    for (int i = 0; i < r->sites; i++) json_array_append_new(sites, site_json(&r->site[i]));
    return json_new("overflows", (json_int_t)rounded_overflows(r), "first_overflow",
                    first ? json_new("step", first->count.first - 1, "layer", first->layer, "site", first->tensor,
                                     "pass", passes[first->pass])
                          : json_null(),
                    "loss_scale", r->scaled ? json_put(json_object(), loss_scale, &r->scale) : NULL, "sites", sites);
}

static Rc parse_site(RoundedSite *s, const json_t *o, Error *e) {
    const char *tensor = json_get_text(o, "site"), *pass = json_get_text(o, "pass");
    const json_t *first = json_object_get(o, "first_over");
    if (!tensor || strlen(tensor) >= sizeof s->tensor || !pass)
        return error_set(e, RC_INTEGRITY, "rounded: a site has no name or pass");
    strcpy(s->tensor, tensor);
    s->layer = (int)json_get_whole(o, "layer");
    while (s->pass <= PASS_backward && strcmp(pass, passes[s->pass])) s->pass++;
    if (s->pass > PASS_backward) return error_set(e, RC_INTEGRITY, "rounded: '%.20s' is no pass", pass);
    (void)json_take(&s->count, counts, o);
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
    (void)json_take(&r->scale, loss_scale, scale);
    json_array_foreach(sites, i, site) if (parse_site(&r->site[i], site, e)) return e->code;
    return RC_OK;
}
