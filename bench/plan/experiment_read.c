/* Make an Experiment from a yaml file, a profile and the command line's overrides. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/plain.h"
#include "base/sha256.h"
#include "base/utf8.h"
#include "bench/plan/reader.h"

static Rc apply_top(Reader *r, const Node *n) {
    Experiment *x = r->x;
    const struct {
        const char *key;
        char *out;
        size_t size;
    } words[] = {{"name", x->name, sizeof x->name},
                 {"title", x->title, sizeof x->title},
                 {"writeup", x->writeup, sizeof x->writeup},
                 {"baseline", x->baseline, sizeof x->baseline}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(n->key, words[i].key)) return text_entry(words[i].out, words[i].size, r->d, n, r->e);
    if (!strcmp(n->key, "also")) return apply_also(r, n);
    if (!strcmp(n->key, "metric")) return metric_entry(&x->metric, r->d, n, r->e);
    if (!strcmp(n->key, "table")) return apply_table(r, n);
    if (!strcmp(n->key, "panels")) return apply_panels(r, n);
    if (!strcmp(n->key, "summaries")) return apply_summaries(r, n);
    if (!strcmp(n->key, "alpha")) return apply_number(r, n, &x->alpha, 1);
    if (!strcmp(n->key, "margin")) return apply_number(r, n, &x->margin, 1e6);
    if (!strcmp(n->key, "seeds")) return apply_seeds(r, r->d, n);
    if (!strcmp(n->key, "looks")) return apply_looks(r, n);
    if (!strcmp(n->key, "probes")) return apply_probes(r, r->d, n);
    if (!strcmp(n->key, "hits")) return apply_flag(r, r->d, n, &x->hits);
    if (!strcmp(n->key, "quantize")) return apply_flag(r, r->d, n, &x->quantize);
    if (!strcmp(n->key, "recipe") || !strcmp(n->key, "compare")) return RC_OK; /* applied earlier, and after the arms */
    if (spec_has(n->key)) return apply_key(r, r->d, n);
    bool arms = !strcmp(n->key, "arms");
    if (!arms && strcmp(n->key, "profiles")) return unknown_key(r->d, n, experiment_keys, experiment_key_count, r->e);
    if (n->kind != NODE_MAPPING)
        return document_error(r->e, r->d, n->line, "%s: a mapping of names is needed, not %s", n->key, node_kind(n));
    *(arms ? &r->arms : &r->profiles) = n;
    return RC_OK;
}

/* Check the profile's list of arms: each is one of the file's, once. */
static Rc check_keep(Reader *r, const Node *n) {
    const char *names[EXPERIMENT_ARMS_MAX];
    size_t count = 0;
    char hint[160];
    if (n->kind != NODE_SEQUENCE || !n->child)
        return document_error(r->e, r->d, n->line, "arms: a profile lists the names of the arms it keeps: [a, b]");
    for (const Node *a = r->arms ? r->arms->child : NULL; a && count < EXPERIMENT_ARMS_MAX; a = a->next)
        names[count++] = a->key;
    for (const Node *item = n->child; item; item = item->next) {
        if (item->kind != NODE_SCALAR)
            return document_error(r->e, r->d, item->line, "arms: a name is needed, not %s", node_kind(item));
        for (const Node *twin = n->child; twin != item; twin = twin->next)
            if (!strcmp(twin->text, item->text))
                return document_error(r->e, r->d, item->line, "arms: '%s' stands in the list twice", item->text);
        if (!r->arms || !node_find(r->arms, item->text))
            return document_error(r->e, r->d, item->line, "unknown arm '%.80s'%s", item->text,
                                  did_you_mean(hint, sizeof hint, item->text, names, count));
    }
    r->keep = n;
    return RC_OK;
}

static Rc apply_profile(Reader *r, const Node *profile) {
    Rc rc = name_check(r->d, profile->key_line, "profile", profile->key, sizeof r->x->profile - 1, r->e);
    if (rc || node_empty(profile)) return rc;
    if (profile->kind != NODE_MAPPING)
        return document_error(r->e, r->d, profile->line, "%s: a profile is a mapping such as {steps: 150}, not %s",
                              profile->key, node_kind(profile));
    rc = apply_recipe(r, r->d, node_find(profile, "recipe"));
    for (const Node *n = profile->child; n && !rc; n = n->next) {
        if (!strcmp(n->key, "recipe")) continue;
        if (!strcmp(n->key, "seeds"))
            rc = apply_seeds(r, r->d, n);
        else if (!strcmp(n->key, "arms"))
            rc = check_keep(r, n);
        else if (spec_has(n->key))
            rc = apply_key(r, r->d, n);
        else
            rc = unknown_key(r->d, n, (const char *const[]){"seeds", "arms", "recipe"}, 3, r->e);
    }
    return rc;
}

/* Check another profile on a copy. */
static Rc try_profile(const Reader *r, const Node *profile) {
    Reader copy = *r;
    copy.x = mem_alloc(1, sizeof *copy.x);
    *copy.x = *r->x;
    copy.x->seed = NULL;
    copy.x->seeds = 0;
    Rc rc = apply_profile(&copy, profile);
    experiment_release(copy.x);
    free(copy.x);
    return rc;
}

static Rc apply_profiles(Reader *r, const char *wanted) {
    if (wanted && !*wanted) wanted = r->profiles && r->profiles->child ? r->profiles->child->key : NULL;
    for (const Node *n = r->profiles ? r->profiles->child : NULL; n; n = n->next) {
        if (wanted && !strcmp(n->key, wanted))
            r->profile = n;
        else if (try_profile(r, n))
            return r->e->code;
    }
    if (!wanted) return RC_OK;
    if (r->profile) {
        snprintf(r->x->profile, sizeof r->x->profile, "%s", wanted);
        return apply_profile(r, r->profile);
    }
    document_error(r->e, r->d, r->profiles ? r->profiles->key_line : 0, "no profile '%.80s'", wanted);
    size_t length = strlen(r->e->text);
    const char *before = "; there are: ";
    for (const Node *n = r->profiles ? r->profiles->child : NULL; n; n = n->next, before = ", ")
        length += (size_t)snprintf(r->e->text + length, sizeof r->e->text - length, "%s%.20s", before, n->key),
            length = length < sizeof r->e->text ? length : sizeof r->e->text - 1;
    if (!r->profiles || !r->profiles->child)
        snprintf(r->e->text + length, sizeof r->e->text - length, "; the file has none ('profiles: {%.20s: {}}')",
                 wanted);
    return RC_USAGE;
}

/* Set seeds; a plan that adds seeds until it is decided keeps doing so, up to that many. */
static Rc set_seeds(Reader *r, const Document *d, const Node *n) {
    Experiment *x = r->x;
    bool until = x->most > 0 && !x->looks;
    Rc rc = apply_seeds(r, d, n);
    r->until = !until && x->most > 0;
    if (rc || !until || x->most) return rc;
    if (x->seeds < 2 || x->seeds > EXPERIMENT_WATCHED_MAX)
        return document_error(r->e, d, n->line, "seeds: until it is decided they are 2 to %d", EXPERIMENT_WATCHED_MAX);
    return seeds_go_on(r, d, n, x->seeds);
}

/* Parse "key=value" as an entry of a document called --set. */
static Rc apply_set(Reader *r, const char *set) {
    char *copy = mem_text(set), *sign = strchr(copy, '='), *value = sign ? trim(sign + 1) : NULL;
    if (sign) *sign = 0;
    char *key = trim(copy);
    Document list = {0}, d = {.file = (char[]){"--set"}};
    Node n = {.kind = NODE_SCALAR, .text = value};
    Rc rc = RC_OK;
    if (!sign || !*key) rc = document_error(r->e, &d, 0, "'%.200s' is not key=value", set);
    if (!rc && (value[0] == '[' || value[0] == '{')) {
        rc = document_parse(&list, "--set", value, strlen(value), r->e);
        if (!rc) n = *list.root;
    }
    n.key = key;
    if (rc) goto done;
    if (!strcmp(key, "seeds"))
        rc = set_seeds(r, &d, &n);
    else if (!strcmp(key, "probes"))
        rc = apply_probes(r, &d, &n);
    else if (!strcmp(key, "hits"))
        rc = apply_flag(r, &d, &n, &r->x->hits);
    else if (!strcmp(key, "quantize"))
        rc = apply_flag(r, &d, &n, &r->x->quantize);
    else if (!strcmp(key, "recipe"))
        rc = apply_recipe(r, &d, &n);
    else if (spec_has(key))
        rc = apply_key(r, &d, &n);
    else if (!strcmp(key, "arms"))
        rc = document_error(r->e, &d, 0, "arms are given with --arm");
    else
        rc = unknown_key(&d, &n, (const char *const[]){"seeds", "probes", "hits", "quantize", "recipe"}, 5, r->e);
    if (spec_has(key)) r->set |= (uint64_t)1 << spec_index(key);
done:
    document_release(&list);
    free(copy);
    return rc;
}

static bool kept(const Reader *r, const char *name) {
    if (!r->keep) return true;
    for (const Node *n = r->keep->child; n; n = n->next)
        if (!strcmp(n->text, name)) return true;
    return false;
}

/* Read every arm of the file, so that arms which the profile omits are checked too. */
static Rc read_arms(Reader *r) {
    Experiment *x = r->x;
    if (!r->arms || !r->arms->child)
        return document_error(r->e, r->d, r->arms ? r->arms->key_line : 0,
                              "there are no arms; for example arms: {mine: {variant: pre}}");
    for (const Node *n = r->arms->child; n; n = n->next) {
        if (x->arms == EXPERIMENT_ARMS_MAX)
            return document_error(r->e, r->d, n->key_line, "more than %d arms", (int)EXPERIMENT_ARMS_MAX);
        Arm *a = &x->arm[x->arms];
        Rc rc = name_check(r->d, n->key_line, "arm", n->key, sizeof a->name - 1, r->e);
        if (!rc) rc = arm_read(a, r->d, n, n->key, &r->base, r->recipe, r->e);
        if (rc) return rc;
        x->arms += kept(r, n->key);
    }
    return RC_OK;
}

static Rc read_options(Reader *r, const Overrides *o) {
    Experiment *x = r->x;
    if (o->arms > EXPERIMENT_ARMS_MAX)
        return error_set(r->e, RC_USAGE, "--arm: more than %d arms", (int)EXPERIMENT_ARMS_MAX);
    r->arms = NULL; /* replace the file's */
    for (; x->arms < o->arms; x->arms++) {
        Rc rc = arm_option(&x->arm[x->arms], o->arm[x->arms], &r->base, r->recipe, r->e);
        if (rc) return rc;
        for (int i = 0; i < x->arms; i++)
            if (!strcmp(x->arm[i].name, x->arm[x->arms].name))
                return error_set(r->e, RC_USAGE, "--arm: two arms are called '%s'", x->arm[i].name);
    }
    x->compared = x->arms == 1 && !o->alone && arm_baseline(&x->arm[1], &x->arm[0], &r->base, r->recipe);
    if (x->compared) {
        Arm given = x->arm[0];
        x->arm[0] = x->arm[1], x->arm[1] = given;
        x->arms = 2;
    }
    return RC_OK;
}

/* Title a plan that the command line changed by its arms: the file's title describes the file's arms and shape. */
static void title_of_changed(Experiment *x) {
    enum { NAMED_MAX = 4 };
    const char *baseline = x->baseline;
    LOCAL_TEXT(title);
    for (int i = 0; i < x->arms; i++)
        if (!strcmp(x->arm[i].name, x->baseline)) baseline = x->arm[i].label;
    if (x->arms > NAMED_MAX) text_format(&title, "%d arms", x->arms - 1);
    for (int i = 0, named = 0; i < x->arms && x->arms <= NAMED_MAX; i++) {
        if (!strcmp(x->arm[i].name, x->baseline)) continue;
        text_format(&title, "%s%s", !named ? "" : named == x->arms - 2 ? " and " : ", ", x->arm[i].label);
        named++;
    }
    if (x->arms > 1)
        text_format(&title, " against %s", baseline);
    else
        text_format(&title, "%s alone", baseline);
    text_format(&title, " (from %s)", x->name);
    snprintf(x->title, sizeof x->title, "%.*s", (int)utf8_fitting(title.at, sizeof x->title - 1), title.at);
}

static void hash_text(const Experiment *x, bool seeds, char out[SHA256_HEX]) {
    LOCAL_TEXT(text);
    experiment_text(x, seeds, &text);
    sha256_hex_of(out, text.at, text.length);
}

static Rc read_all(Reader *r, const char *profile, const Overrides *o) {
    Experiment *x = r->x;
    const Node *root = r->d->root;
    static const Overrides none = {0};
    if (!o) o = &none;
    if (root->kind != NODE_MAPPING)
        return document_error(r->e, r->d, root->line, "an experiment is a mapping of keys (layers: 4), not %s",
                              node_kind(root));
    Rc rc = apply_recipe(r, r->d, node_find(root, "recipe"));
    for (const Node *n = root->child; n && !rc; n = n->next) rc = apply_top(r, n);
    const Node *name = node_find(root, "name");
    if (!rc && name) rc = name_check(r->d, name->line, "name", x->name, sizeof x->name - 1, r->e);
    if (!rc) rc = apply_profiles(r, profile);
    for (int i = 0; i < o->sets && !rc; i++) rc = apply_set(r, o->set[i]);
    if (!rc) rc = o->arms ? read_options(r, o) : read_arms(r);
    if (rc) return rc;
    reader_defaults(x);
    rc = reader_check(r, o->arms > 0);
    if (rc) return rc;
    if (o->sets || o->arms) title_of_changed(x);
    hash_text(x, true, x->plan);
    hash_text(x, false, x->body);
    return RC_OK;
}

static Rc parse(Experiment *x, const char *file, const char *bytes, size_t length, const char *profile,
                const Overrides *o, Error *e) {
    Document d;
    if (strlen(file) >= sizeof x->file) return error_set(e, RC_USAGE, "the path of '%.200s' is too long", file);
    Rc rc = document_parse(&d, file, bytes, length, e);
    if (rc) return rc;
    memset(x, 0, sizeof *x);
    snprintf(x->file, sizeof x->file, "%s", file);
    x->metric = METRIC_valid_loss;
    x->alpha = 0.05;
    x->margin = 0.02;
    x->probes = probes_usual();
    Reader r = {.x = x, .d = &d, .e = e};
    spec_init(&r.base);
    r.base.seed = 0;
    rc = read_all(&r, profile, o);
    if (rc)
        experiment_release(x);
    else
        x->yaml = mem_text(bytes);
    document_release(&d);
    return rc;
}

Rc experiment_parse(Experiment *x, const char *file, const char *text, const char *profile, const Overrides *o,
                    Error *e) {
    return parse(x, file, text, strlen(text), profile, o, e);
}

Rc experiment_read(Experiment *x, const char *path, const char *profile, const Overrides *o, Error *e) {
    char *bytes;
    size_t length;
    Rc rc = file_read(path, &bytes, &length, e);
    if (rc) return rc;
    rc = plain_text(&bytes, &length, e) ? error_prefix(e, "%.300s: ", path)
                                        : parse(x, path, bytes, length, profile, o, e);
    free(bytes);
    return rc;
}

bool experiment_changed(const Experiment *x) {
    OWNED Experiment *plain = mem_alloc(1, sizeof *plain); /* too large for a small stack */
    Error none;
    bool changed = true;
    if (!experiment_parse(plain, x->file, x->yaml, x->profile, NULL, &none)) {
        changed = strcmp(plain->body, x->body) != 0;
        experiment_release(plain);
    }
    return changed;
}
