#include "bench/store/address.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/store/listing.h"
#include "bench/store/texts.h"

enum { SHOWN = 6 }; /* most runs that an error lists */

static const char *id_of(const Store *s, int i) {
    return i < s->heads ? s->head[i].id : s->damaged_id[i - s->heads];
}

static size_t common_prefix(const char *a, const char *b) {
    size_t n = 0;
    while (a[n] && a[n] == b[n]) n++;
    return n;
}

/* Append "3f2a91c0b2d4 (pre, seed 1, 300 steps of tinyshakespeare)" for the runs that share most of the prefix, `least`
 * bytes or more. */
static void add_nearest(Error *e, const Store *s, const char *prefix, size_t least) {
    int shown = 0;
    for (size_t share = SHA256_HEX; share-- > least && shown < SHOWN;)
        for (int i = 0; i < s->heads && shown < SHOWN; i++) {
            LOCAL(record_release) RunRecord r = {0};
            Error ignored;
            if (common_prefix(prefix, s->head[i].id) != share || record_members(&r, s->folder, s->head[i].id, &ignored))
                continue;
            error_add(e, "%s%.12s (%s, seed %llu, %lld steps of %.40s)", shown++ ? ", " : "", r.id,
                      r.spec.variant.name, (unsigned long long)r.spec.seed, (long long)r.spec.steps,
                      r.spec.dataset.text);
        }
    if (s->heads > shown) error_add(e, ", of %d", s->heads);
}

/* Count the stored ids, readable or not, that begin with text; id: the first of them. */
static int by_prefix(const Store *s, const char *text, char id[SHA256_HEX]) {
    int matches = 0;
    for (int i = 0; i < s->heads + s->damaged; i++)
        if (!strncmp(id_of(s, i), text, strlen(text)) && !matches++) memcpy(id, id_of(s, i), SHA256_HEX);
    return matches;
}

/* Split "EXPERIMENT:" off the front; text is overwritten. */
static char *split_experiment(char *text, char **experiment) {
    char *colon = strchr(text, ':'), *equals = strchr(text, '=');
    *experiment = NULL;
    if (!colon || (equals && equals < colon)) return text;
    *colon = 0;
    *experiment = text;
    return colon + 1;
}

/* Return true if a listed arm has this name, which may hold '=' as "pre+attn.out=rmsnorm" does. */
static bool is_arm(const Listing *l, const char *name) {
    int i = 0;
    while (i < l->runs && strcmp(l->run[i].arm, name)) i++;
    return i < l->runs;
}

static Rc keep(Listing *l, char *at, Error *e) {
    char filter[SPEC_KEY_SIZE + SPEC_TEXT_SIZE];
    for (bool first = true; at; first = false) {
        char *slash = strchr(at, '/');
        if (slash) *slash = 0;
        snprintf(filter, sizeof filter, "%s%.150s", first && (!strchr(at, '=') || is_arm(l, at)) ? "arm=" : "",
                 at);
        if (listing_keep(l, filter, e)) return e->code;
        at = slash ? slash + 1 : NULL;
    }
    return RC_OK;
}

/* Keep one entry of a run that several plans share. */
static void drop_repeated(Listing *l) {
    int written = 0;
    for (int i = 0; i < l->runs; i++) {
        bool seen = false;
        for (int j = 0; j < written && !seen; j++) seen = l->run[j].record == l->run[i].record;
        if (!seen) l->run[written++] = l->run[i];
    }
    l->runs = written;
}

/* Refuse: "'layernorm' is 6 stored runs, which differ in seed (1, 2, 3, 4, 5, 6); one of them: layernorm/seed=1". */
static Rc several(const Listing *l, const char *text, Error *e) {
    const char *key[LISTING_KEYS_MAX];
    char value[SPEC_TEXT_SIZE];
    int keys = listing_differ(l, -1, false, key);
    for (int i = 0; i + 1 < keys; i++) /* what was varied says more than which plan */
        if (!strcmp(key[i], "plan")) key[i] = key[i + 1], key[i + 1] = "plan";
    bool in_front = keys && !strcmp(key[0], "experiment") && !strchr(text, ':');
    LOCAL_TEXT(line);
    text_format(&line, "'%.200s' is %d stored runs", text, l->runs);
    for (int i = 0; i < keys; i++) {
        text_format(&line, "%s%s (", i ? ", " : ", which differ in ", key[i]);
        listing_values(l, key[i], 12, &line);
        text_format(&line, ")");
    }
    if (keys) text_format(&line, "; one of them: ");
    if (in_front) text_format(&line, "%s:", listing_value(value, l, &l->run[0], "experiment"));
    if (keys) text_format(&line, "%.200s", text);
    for (int i = in_front; i < keys; i++)
        text_format(&line, "/%s=%s", key[i], listing_shown(value, l, &l->run[0], key[i]));
    if (!keys || listing_twins(l, -1)) {
        text_format(&line, "; %s have one spec, but several arithmetics or corpora; name one by its id: ",
                    keys ? "some" : "they");
        for (int i = 0; i < l->runs && i < SHOWN; i++)
            text_format(&line, "%s%.12s", i ? ", " : "", l->run[i].record->id);
    }
    error_set(e, RC_USAGE, "%s", line.at);
    return e->code;
}

/* Report a damaged folder, if there is one: it may be the run that was not found. store_read has named the first. */
static Rc not_found(const Store *stored, Error *e) {
    if (!stored->damaged) return e->code;
    error_add(e, "; %d folder%s of %s do%s not read", stored->damaged, stored->damaged == 1 ? "" : "s",
              stored->folder, stored->damaged == 1 ? "es" : "");
    return e->code = stored->damage.code;
}

/* List the runs of an experiment's file, or of one that only stored plans name. */
static Rc list(Listing *l, const Session *s, Store *stored, const char *experiment, Error *e) {
    char filter[SPEC_KEY_SIZE + SPEC_TEXT_SIZE];
    Error why;
    if (!listing_make(l, s, stored, experiment, e)) return RC_OK;
    if (!experiment || listing_make(l, s, stored, NULL, &why)) return e->code;
    snprintf(filter, sizeof filter, "experiment=%.150s", experiment);
    if (!listing_keep(l, filter, &why)) return e->code = RC_OK;
    listing_release(l);
    return e->code;
}

static Rc by_name(const Session *s, Store *stored, const char *text, char id[SHA256_HEX], Error *e) {
    Listing l;
    char *copy = mem_text(text), *experiment, *rest = split_experiment(copy, &experiment);
    Rc rc = list(&l, s, stored, experiment, e);
    if (!rc) {
        rc = keep(&l, rest, e) ? not_found(stored, e) : RC_OK;
        if (!rc) drop_repeated(&l);
        if (!rc && l.runs > 1) rc = several(&l, text, e);
        if (!rc) memcpy(id, l.run[0].record->id, SHA256_HEX);
        listing_release(&l);
    }
    free(copy);
    return rc;
}

static Rc find(const Session *s, Store *stored, const char *text, char id[SHA256_HEX], Error *e) {
    Error why;
    if (!stored->heads && !stored->damaged)
        return error_set(e, RC_USAGE, "no run is stored in %s; `normbench run EXPERIMENT` makes some", s->runs);
    if (strspn(text, "0123456789abcdef") != strlen(text)) return by_name(s, stored, text, id, e);
    int matches = by_prefix(stored, text, id);
    if (matches == 1 || (!matches && !by_name(s, stored, text, id, &why))) return RC_OK;
    if (matches)
        error_set(e, RC_USAGE, "%d runs begin with '%.64s': ", matches, text);
    else
        error_set(e, RC_USAGE, "no stored run begins with '%.64s'; nearest: ", text);
    add_nearest(e, stored, text, matches ? strlen(text) : 0);
    return matches ? e->code : not_found(stored, e);
}

char *address_experiment(const char *text) {
    char *copy = mem_text(text), *experiment;
    (void)split_experiment(copy, &experiment);
    if (!experiment) free(copy);
    return experiment;
}

char *address_arm(const Session *s, const RunRecord *r, char out[ARM_NAME_SIZE]) {
    LOCAL(store_release) Store stored = {0};
    Listing l;
    Error ignored;
    snprintf(out, ARM_NAME_SIZE, "%s", r->spec.variant.name);
    store_read(&stored, s->runs);
    if (!listing_make(&l, s, &stored, NULL, &ignored)) {
        for (int i = l.runs; i-- > 0;)
            if (!strcmp(l.run[i].record->id, r->id)) memcpy(out, l.run[i].arm, ARM_NAME_SIZE);
        listing_release(&l);
    }
    return out;
}

Rc address_find(const Session *s, const char *text, char id[SHA256_HEX], Error *e) {
    LOCAL(store_release) Store stored = {0};
    store_read(&stored, s->runs);
    Rc rc = find(s, &stored, text, id, e);
    RunRecord r;
    Error damaged; /* ignored: reading the run reports it */
    if (!rc && !record_members(&r, s->runs, id, &damaged)) {
        texts_note(s, &r);
        record_release(&r);
    }
    return rc;
}
