/* A claims file: set-ups, reported tables, claims with their tests. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/plan/claim.h"
#include "stats/tests.h"

const char *const kind_names[KIND_COUNT] = {"measured", "theory", "arithmetic", "question"};
const char *const expect_names[EXPECT_COUNT] = {"lower", "higher", "equal", "change"};
const char *const effect_names[EFFECT_COUNT] = {"difference", "log_ratio", "ratio"};

/* YYYY, YYYY-MM or YYYY-MM-DD, of a day that there is. */
static bool is_date(const char *text) {
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    static const char form[] = "dddd-dd-dd";
    size_t n = strlen(text);
    int part[3] = {0, 1, 1};
    if (n != 4 && n != 7 && n != 10) return false;
    for (size_t i = 0; i < n; i++)
        if (form[i] == 'd' ? text[i] < '0' || text[i] > '9' : text[i] != form[i]) return false;
    for (size_t i = 0, k = 0; i < n; i++)
        if (form[i] == '-')
            part[++k] = 0;
        else
            part[k] = 10 * part[k] + text[i] - '0';
    bool leap = !(part[0] % 4) && (part[0] % 100 || !(part[0] % 400));
    if (part[1] < 1 || part[1] > 12) return false;
    return part[2] >= 1 && part[2] <= days[part[1] - 1] + (leap && part[1] == 2);
}

/* An address of the web, with or without https:// in front: no blanks, and a host with a dot in it. */
static bool is_url(const char *text) {
    const char *at = strstr(text, "://");
    if (at && strncmp(text, "https://", 8) && strncmp(text, "http://", 7)) return false;
    at = at ? at + 3 : text;
    size_t host = strcspn(at, "/?#"), dot = strcspn(at, ".");
    for (const char *s = text; *s; s++)
        if (*s <= ' ' || *s > '~') return false;
    return dot > 0 && dot + 1 < host && !strstr(at, "://");
}

static Rc read_origin(ClaimFile *f, const Node *root, Error *e) {
    if (document_text(&f->document, root, "author", false, &f->author, e) ||
        document_text(&f->document, root, "date", false, &f->date, e) ||
        document_text(&f->document, root, "url", false, &f->url, e))
        return e->code;
    if (f->date && !is_date(f->date))
        return document_error(e, &f->document, node_find(root, "date")->line,
                              "date: '%.60s' is no YYYY-MM-DD, YYYY-MM or YYYY", f->date);
    if (f->url && !is_url(f->url))
        return document_error(e, &f->document, node_find(root, "url")->line,
                              "url: '%.100s' is no address such as https://example.org/page", f->url);
    return RC_OK;
}

/* One allowed value of a key, as its canonical text. */
static Rc setup_value(ClaimFile *f, SetupKey *key, const Node *at, RunSpec *scratch, Error *e) {
    if (at->kind != NODE_SCALAR)
        return document_error(e, &f->document, at->line, "%s: %s, not a value", key->key, node_kind(at));
    if (spec_set(scratch, key->key, at->text, e)) return document_prefix(e, &f->document, at->line);
    spec_get(key->value[key->values++], scratch, key->key);
    return RC_OK;
}

static Rc setup_key(ClaimFile *f, SetupKey *keys, int *count, const Node *entry, Error *e) {
    RunSpec scratch;
    SetupKey *key = &keys[(*count)++];
    bool list = entry->kind == NODE_SEQUENCE;
    key->key = entry->key;
    key->value = mem_alloc((size_t)(list ? node_children(entry) : 1), sizeof *key->value);
    spec_init(&scratch);
    if (!spec_has(entry->key)) {
        spec_unknown(entry->key, NULL, 0, e);
        return document_prefix(e, &f->document, entry->key_line);
    }
    if (!list) return setup_value(f, key, entry, &scratch, e);
    if (!entry->child) return document_error(e, &f->document, entry->line, "%s: an empty list", entry->key);
    for (const Node *v = entry->child; v; v = v->next)
        if (setup_value(f, key, v, &scratch, e)) return e->code;
    return RC_OK;
}

static Rc read_setups(ClaimFile *f, const Node *setups, Error *e) {
    static const char *const known[] = {"keys", "choices"};
    f->setup = mem_alloc((size_t)node_children(setups), sizeof *f->setup);
    for (const Node *n = setups->child; n; n = n->next) {
        const Node *keys, *choices;
        ClaimSetup *s = &f->setup[f->setups++];
        s->name = n->key;
        if (n->kind != NODE_MAPPING)
            return document_error(e, &f->document, n->line, "%s: %s, not a mapping", n->key, node_kind(n));
        if (document_keys(&f->document, n, known, 2, e) ||
            document_entry(&f->document, n, "keys", NODE_MAPPING, true, &keys, e) ||
            document_entry(&f->document, n, "choices", NODE_SEQUENCE, true, &choices, e))
            return e->code;
        s->key = mem_alloc((size_t)node_children(keys), sizeof *s->key);
        s->choice = mem_alloc((size_t)node_children(choices), sizeof *s->choice);
        for (const Node *k = keys->child; k; k = k->next)
            if (setup_key(f, s->key, &s->keys, k, e)) return e->code;
        for (const Node *c = choices->child; c; c = c->next) {
            if (c->kind != NODE_SCALAR || node_empty(c))
                return document_error(e, &f->document, c->line, "choices: a line of text is wanted");
            s->choice[s->choices++] = c->text;
        }
    }
    return RC_OK;
}

static Rc find_setup(ClaimFile *f, const Node *mapping, const ClaimSetup **out, Error *e) {
    const char *names[64];
    int n = f->setups < 64 ? f->setups : 64, at;
    const Node *node;
    for (int i = 0; i < n; i++) names[i] = f->setup[i].name;
    if (document_entry(&f->document, mapping, "setup", NODE_SCALAR, true, &node, e)) return e->code;
    if (document_choice(&f->document, node, "setup", names, n, &at, e)) return e->code;
    *out = &f->setup[at];
    return RC_OK;
}

static Rc read_size(ClaimFile *f, ClaimSize *s, const Node *n, Error *e) {
    static const char *const known[] = {"shape", "parameters", "tokens", "corpus", "seeds", "takes", "setup", "keys"};
    const char **text[] = {&s->shape, &s->parameters, &s->tokens, &s->corpus, &s->seeds, &s->takes};
    const Node *keys;
    s->name = n->key;
    if (n->kind != NODE_MAPPING)
        return document_error(e, &f->document, n->line, "%s: %s, not a mapping", n->key, node_kind(n));
    if (document_keys(&f->document, n, known, 8, e)) return e->code;
    for (int i = 0; i < 6; i++)
        if (document_text(&f->document, n, known[i], false, text[i], e)) return e->code;
    if (node_find(n, "setup") && find_setup(f, n, &s->setup, e)) return e->code;
    if (document_entry(&f->document, n, "keys", NODE_MAPPING, false, &keys, e)) return e->code;
    s->key = mem_alloc(keys ? (size_t)node_children(keys) + 1 : 1, sizeof *s->key);
    for (const Node *k = keys ? keys->child : NULL; k; k = k->next)
        if (setup_key(f, s->key, &s->keys, k, e)) return e->code;
    return RC_OK;
}

static Rc read_sizes(ClaimFile *f, const Node *sizes, Error *e) {
    f->size = mem_alloc((size_t)node_children(sizes), sizeof *f->size);
    for (const Node *n = sizes->child; n; n = n->next)
        if (read_size(f, &f->size[f->sizes++], n, e)) return e->code;
    return RC_OK;
}

/* own: a name, or a list of names. */
static Rc claim_own(ClaimFile *f, Claim *c, const Node *mapping, Error *e) {
    const char *names[64];
    const Node *node = node_find(mapping, "own");
    int n = f->sizes < 64 ? f->sizes : 64;
    for (int i = 0; i < n; i++) names[i] = f->size[i].name;
    for (const Node *one = !node ? NULL : node->kind == NODE_SEQUENCE ? node->child : node; one; one = one->next) {
        int at;
        if (c->own_count == CLAIM_OWN_MAX)
            return document_error(e, &f->document, one->line, "own: more than %d sizes", CLAIM_OWN_MAX);
        if (document_choice(&f->document, one, "own", names, n, &at, e)) return e->code;
        c->own[c->own_count++] = &f->size[at];
        if (one == node) break;
    }
    return RC_OK;
}

/* One name, or a list of names. */
static Rc claim_setups(ClaimFile *f, Claim *c, const Node *mapping, Error *e) {
    const char *names[64];
    const Node *node = node_find(mapping, "setup");
    int n = f->setups < 64 ? f->setups : 64;
    c->setups = 1;
    if (!node || node->kind != NODE_SEQUENCE) return find_setup(f, mapping, &c->setup[0], e);
    for (int i = 0; i < n; i++) names[i] = f->setup[i].name;
    c->setups = 0;
    for (const Node *one = node->child; one; one = one->next) {
        int at;
        if (c->setups == CLAIM_SETUPS_MAX)
            return document_error(e, &f->document, one->line, "setup: more than %d set-ups", CLAIM_SETUPS_MAX);
        if (document_choice(&f->document, one, "setup", names, n, &at, e)) return e->code;
        c->setup[c->setups++] = &f->setup[at];
    }
    return c->setups ? RC_OK : document_error(e, &f->document, node->line, "setup: an empty list");
}

/* "lr=best" and "step=N", which are no keys of a run; RC_OK and *taken false for another pair. */
static Rc arm_choice(const ClaimFile *f, const Node *entry, const char *key, const char *value, ClaimArm *out,
                     bool *taken, Error *e) {
    int64_t step;
    *taken = true;
    if (!strcmp(key, "lr") && !strcmp(value, "best")) {
        out->best = true;
        return RC_OK;
    }
    *taken = !strcmp(key, "step");
    if (!*taken) return RC_OK;
    if (!parse_integer(value, &step) || step < 1 || step > 1000000000)
        return document_error(e, &f->document, entry->key_line, "'%s': step: a whole number from 1 to 10^9 is wanted",
                              entry->key);
    out->step = (int)step;
    return RC_OK;
}

static Rc read_arm(const ClaimFile *f, const Node *entry, ClaimArm *out, Error *e) {
    const char *at = strchr(entry->key, '@');
    size_t length = at ? (size_t)(at - entry->key) : strlen(entry->key);
    RunSpec scratch;
    spec_init(&scratch);
    *out = (ClaimArm){.text = entry->key};
    if (!length || length >= sizeof out->name)
        return document_error(e, &f->document, entry->key_line, "'%s': no arm's name", entry->key);
    memcpy(out->name, entry->key, length);
    while (at) {
        char pair[SPEC_TEXT_SIZE], *value, canonical[SPEC_TEXT_SIZE];
        const char *from = at + 1;
        size_t n = strcspn(from, ",");
        at = from[n] ? from + n : NULL;
        snprintf(pair, sizeof pair, "%.*s", (int)n, from);
        value = strchr(pair, '=');
        if (!value || out->at_count == CLAIM_KEYS_MAX)
            return document_error(e, &f->document, entry->key_line, "'%s': NAME@KEY=VALUE with up to %d keys is wanted",
                                  entry->key, CLAIM_KEYS_MAX);
        *value++ = 0;
        bool taken;
        if (arm_choice(f, entry, pair, value, out, &taken, e)) return e->code;
        if (taken) continue;
        if (spec_set(&scratch, pair, value, e)) return document_prefix(e, &f->document, entry->key_line);
        snprintf(out->at[out->at_count].key, sizeof out->at->key, "%.47s", pair);
        snprintf(out->at[out->at_count++].value, sizeof out->at->value, "%.63s", spec_get(canonical, &scratch, pair));
    }
    return RC_OK;
}

static Rc positive_integer(const ClaimFile *f, const Node *at, const char *what, int *out, Error *e) {
    int64_t value;
    if (at->kind != NODE_SCALAR || !parse_whole(at->text, &value) || value < 1 || value > 1000000000)
        return document_error(e, &f->document, at->line, "%s: a whole number from 1 to 10^9 is wanted", what);
    *out = (int)value;
    return RC_OK;
}

/* A metric, or a metric and "_sd". */
static Rc check_quantity(const ClaimFile *f, int line, const char *name, Error *e) {
    char metric[48];
    Metric found;
    size_t n = strlen(name);
    bool spread = n > 3 && !strcmp(name + n - 3, "_sd");
    snprintf(metric, sizeof metric, "%.*s", (int)(spread ? n - 3 : n), name);
    return metric_find(&found, metric, e) ? document_prefix(e, &f->document, line) : RC_OK;
}

static Rc reported_values(ClaimFile *f, ReportedTable *t, const Node *arm, Error *e) {
    if (arm->kind != NODE_MAPPING)
        return document_error(e, &f->document, arm->line, "%s: %s, not a mapping", arm->key, node_kind(arm));
    for (const Node *n = arm->child; n; n = n->next) {
        ReportedNumber number = {.quantity = n->key, .text = n->text, .line = n->line};
        if (read_arm(f, arm, &number.arm, e)) return e->code;
        if (check_quantity(f, n->key_line, n->key, e)) return e->code;
        if (n->kind != NODE_SCALAR || !parse_real(n->text, &number.value))
            return document_error(e, &f->document, n->line, "%s: not a number", n->key);
        t->number = mem_grow(t->number, (size_t)t->numbers + 1, sizeof *t->number);
        t->number[t->numbers++] = number;
    }
    return RC_OK;
}

static Rc read_reported(ClaimFile *f, const Node *reported, Error *e) {
    static const char *const known[] = {"where", "setup", "step", "seeds", "values"};
    f->table = mem_alloc((size_t)node_children(reported), sizeof *f->table);
    for (const Node *n = reported->child; n; n = n->next) {
        const Node *step, *seeds, *values;
        ReportedTable *t = &f->table[f->tables++];
        t->name = n->key;
        if (n->kind != NODE_MAPPING)
            return document_error(e, &f->document, n->line, "%s: %s, not a mapping", n->key, node_kind(n));
        if (document_keys(&f->document, n, known, 5, e) ||
            document_text(&f->document, n, "where", true, &t->where, e) || find_setup(f, n, &t->setup, e) ||
            document_entry(&f->document, n, "step", NODE_SCALAR, true, &step, e) ||
            positive_integer(f, step, "step", &t->step, e) ||
            document_entry(&f->document, n, "seeds", NODE_SCALAR, true, &seeds, e) ||
            positive_integer(f, seeds, "seeds", &t->seeds, e) ||
            document_entry(&f->document, n, "values", NODE_MAPPING, true, &values, e))
            return e->code;
        for (const Node *arm = values->child; arm; arm = arm->next)
            if (reported_values(f, t, arm, e)) return e->code;
    }
    return RC_OK;
}

/* Weights that add up to zero, so that a shift common to all arms cancels; compared with a number they may be any. */
static Rc read_contrast(ClaimFile *f, ClaimTest *t, const Node *contrast, Error *e) {
    double sum = 0, size = 0;
    for (const Node *n = contrast->child; n; n = n->next) {
        ClaimTerm term = {0};
        if (t->terms == CLAIM_TERMS_MAX)
            return document_error(e, &f->document, n->line, "contrast: more than %d arms", CLAIM_TERMS_MAX);
        if (n->kind != NODE_SCALAR || !parse_real(n->text, &term.weight))
            return document_error(e, &f->document, n->line, "%s: a weight that is not zero is wanted", n->key);
        if (read_arm(f, n, &term.arm, e)) return e->code;
        t->term[t->terms++] = term;
        sum += term.weight, size += fabs(term.weight);
    }
    if (!(size > 0) || (isnan(t->against) && fabs(sum) > 1e-9 * size))
        return document_error(
            e, &f->document, contrast->line,
            "contrast: the weights must add up to zero (or say with `against` what a sum is compared with)");
    return RC_OK;
}

/* What an arm reports of a quantity, in whichever cells. */
static const ReportedNumber *any_number(const ClaimTest *t, const char *arm, Rc *positive) {
    const ReportedNumber *found = NULL;
    for (int i = 0; i < t->table->numbers; i++) {
        const ReportedNumber *r = &t->table->number[i];
        if (strcmp(r->arm.name, arm) != 0 || strcmp(r->quantity, t->of) != 0) continue;
        found = r;
        if (t->form != EFFECT_difference && !(r->value > 0)) *positive = RC_USAGE;
        if (*positive) break;
    }
    return found;
}

/* Where the effect's numbers stand, and that they are there. */
static Rc read_effect(ClaimFile *f, ClaimTest *t, const Node *reported, Error *e) {
    static const char *const known[] = {"table", "of", "as"};
    const char *names[64];
    const Node *table, *as;
    int n = f->tables < 64 ? f->tables : 64, at, form;
    for (int i = 0; i < n; i++) names[i] = f->table[i].name;
    if (document_keys(&f->document, reported, known, 3, e) ||
        document_entry(&f->document, reported, "table", NODE_SCALAR, true, &table, e) ||
        document_choice(&f->document, table, "table", names, n, &at, e) ||
        document_text(&f->document, reported, "of", true, &t->of, e) ||
        document_entry(&f->document, reported, "as", NODE_SCALAR, true, &as, e) ||
        document_choice(&f->document, as, "as", effect_names, EFFECT_COUNT, &form, e))
        return e->code;
    t->table = &f->table[at];
    t->form = (EffectForm)form;
    for (int i = 0; i < t->terms; i++) {
        Rc positive = RC_OK;
        const ReportedNumber *r = any_number(t, t->term[i].arm.name, &positive);
        if (!r)
            return document_error(e, &f->document, reported->line, "table '%s' has no %s of arm '%s'", t->table->name,
                                  t->of, t->term[i].arm.name);
        if (positive) return document_error(e, &f->document, r->line, "%s: no logarithm", r->text);
    }
    return RC_OK;
}

/* "EXPERIMENT@KEY=VALUE,step=N": where a primary test decides. */
static Rc read_place(const ClaimFile *f, ClaimTest *t, const Node *n, Error *e) {
    Node entry = *n;
    if (t->places == CLAIM_PLACES_MAX)
        return document_error(e, &f->document, n->line, "primary: more than %d places", CLAIM_PLACES_MAX);
    if (n->kind != NODE_SCALAR)
        return document_error(e, &f->document, n->line, "primary: %s, not a place", node_kind(n));
    entry.key = n->text, entry.key_line = n->line;
    if (read_arm(f, &entry, &t->place[t->places], e)) return e->code;
    if (t->place[t->places++].best) return document_error(e, &f->document, n->line, "primary: a place has no lr=best");
    return RC_OK;
}

static Rc read_primary(const ClaimFile *f, ClaimTest *t, const Node *n, Error *e) {
    const Node *primary = node_find(n, "primary"), *otherwise = node_find(n, "otherwise");
    if (primary && otherwise)
        return document_error(e, &f->document, otherwise->line, "otherwise: a test is primary or stands in for one");
    if (otherwise) primary = otherwise, t->otherwise = true;
    if (!primary) return RC_OK;
    t->decides = true;
    if (primary->kind == NODE_SCALAR && !strcmp(primary->text, "true")) return RC_OK;
    if (primary->kind != NODE_SEQUENCE || !primary->child)
        return document_error(e, &f->document, primary->line, "primary: true, or a list of places, is wanted");
    if (t->theories || node_find(n, "theory"))
        return document_error(e, &f->document, primary->line, "primary: statements have no place: true");
    for (const Node *one = primary->child; one; one = one->next)
        if (read_place(f, t, one, e)) return e->code;
    return RC_OK;
}

/* A test that statements decide has nothing else beside its metric's text. */
static Rc read_theory(ClaimFile *f, ClaimTest *t, const Node *n, Error *e) {
    static const char *const known[] = {"metric", "theory", "primary", "otherwise"};
    const Node *list;
    if (document_keys(&f->document, n, known, 4, e) || read_primary(f, t, n, e) ||
        document_entry(&f->document, n, "theory", NODE_SEQUENCE, true, &list, e))
        return e->code;
    if (!list->child) return document_error(e, &f->document, list->line, "theory: an empty list");
    for (const Node *one = list->child; one; one = one->next) {
        if (t->theories == CLAIM_THEORIES_MAX)
            return document_error(e, &f->document, one->line, "theory: more than %d statements", CLAIM_THEORIES_MAX);
        if (one->kind != NODE_SCALAR)
            return document_error(e, &f->document, one->line, "theory: %s, not a value", node_kind(one));
        if (statement_find(&t->theory[t->theories++], one->text, e)) return document_prefix(e, &f->document, one->line);
    }
    return document_text(&f->document, n, "metric", true, &t->metric_text, e);
}

/* A metric of a run, or of a grid of rates. */
static Rc read_metric(ClaimFile *f, ClaimTest *t, const Node *at, bool full, Error *e) {
    Metric metric;
    Error unknown;
    if (!metric_find(&metric, t->metric_text, e))
        t->metric = (int)metric;
    else if (!grid_find(&t->grid, t->metric_text, &unknown))
        t->metric = METRIC_valid_loss;
    else if (full)
        return document_prefix(e, &f->document, at->line);
    return RC_OK;
}

/* Arms at their best rates are tested by swaps of whole grids, and nothing else is. */
static Rc check_choice(ClaimFile *f, const ClaimTest *t, const Node *n, Error *e) {
    int best = 0;
    bool choice = t->test && !strcmp(t->test->name, "choice");
    for (int i = 0; i < t->terms; i++) best += t->term[i].arm.best;
    if (!best && !choice) return RC_OK;
    bool pair = t->terms == 2 && best == 2 && fabs(t->term[0].weight) == 1 && fabs(t->term[1].weight) == 1 &&
                t->term[0].weight == -t->term[1].weight;
    if (!choice || !pair)
        return document_error(e, &f->document, n->line,
                              "lr=best: wants test: choice and two arms, both lr=best, of weights 1 and -1");
    if (t->grid)
        return document_error(e, &f->document, n->line,
                              "lr=best: '%s' is of all rates; a metric of the run at the rate that valid_loss chooses",
                              t->metric_text);
    return RC_OK;
}

/* An arm of a list: its text read as that of a contrast. */
static Rc list_arm(ClaimFile *f, ClaimTest *t, const Node *n, Error *e) {
    ClaimTerm term = {.weight = 1};
    Node entry = *n;
    if (t->terms == CLAIM_TERMS_MAX)
        return document_error(e, &f->document, n->line, "arms: more than %d", CLAIM_TERMS_MAX);
    if (n->kind != NODE_SCALAR) return document_error(e, &f->document, n->line, "arms: %s, not a name", node_kind(n));
    entry.key = n->text, entry.key_line = n->line;
    if (read_arm(f, &entry, &term.arm, e)) return e->code;
    if (term.arm.best || term.arm.step)
        return document_error(e, &f->document, n->line,
                              "arms: all rates count, and the last step: no lr=best, no step");
    t->term[t->terms++] = term;
    return RC_OK;
}

static Rc predictor(ClaimFile *f, ClaimTest *t, const Node *n, Error *e) {
    Metric *metric = &t->predictor[t->predictors];
    if (t->predictors == 2)
        return document_error(e, &f->document, n->line, "predictors: two metrics are wanted, not more");
    if (n->kind != NODE_SCALAR)
        return document_error(e, &f->document, n->line, "predictors: %s, not a metric", node_kind(n));
    if (metric_find(metric, n->text, e)) return document_prefix(e, &f->document, n->line);
    if (!metric_info[*metric].reads[0])
        return document_error(e, &f->document, n->line,
                              "predictors: '%s' is of no curve, so the first update does not give it", n->text);
    t->predictors++;
    return RC_OK;
}

/* A test that compares what two metrics explain. */
static Rc read_predictors(ClaimFile *f, ClaimTest *t, const Node *n, Error *e) {
    static const char *const known[] = {"metric", "predictors", "arms",    "expects",
                                        "test",   "needs",      "primary", "otherwise"};
    static const char *const sides[] = {"lower", "higher"};
    const Node *list, *arms, *expects;
    const char *test;
    int side;
    if (document_keys(&f->document, n, known, 8, e) || read_primary(f, t, n, e) ||
        document_text(&f->document, n, "needs", false, &t->needs, e) ||
        document_text(&f->document, n, "metric", true, &t->metric_text, e) ||
        document_entry(&f->document, n, "predictors", NODE_SEQUENCE, true, &list, e) ||
        document_entry(&f->document, n, "arms", NODE_SEQUENCE, true, &arms, e) ||
        document_entry(&f->document, n, "expects", NODE_SCALAR, true, &expects, e) ||
        document_choice(&f->document, expects, "expects", sides, 2, &side, e) ||
        document_text(&f->document, n, "test", true, &test, e))
        return e->code;
    if (strcmp(t->metric_text, "failed") || strcmp(test, "predictors"))
        return document_error(e, &f->document, n->line, "predictors: go with metric: failed and test: predictors");
    for (const Node *one = list->child; one; one = one->next)
        if (predictor(f, t, one, e)) return e->code;
    if (t->predictors < 2 || t->predictor[0] == t->predictor[1])
        return document_error(e, &f->document, list->line, "predictors: two different metrics are wanted");
    for (const Node *one = arms->child; one; one = one->next)
        if (list_arm(f, t, one, e)) return e->code;
    if (!t->terms) return document_error(e, &f->document, arms->line, "arms: an empty list");
    t->expects = (Expect)side, t->test = st_test_find(test);
    t->metric = METRIC_valid_loss;
    return grid_find(&t->grid, t->metric_text, e);
}

/* An arm of weight zero is what both sides of a test of two spreads are gains over. */
static Rc check_gains(const ClaimFile *f, const ClaimTest *t, const Node *contrast, Error *e) {
    bool spreads = t->test && t->test->about == ST_ABOUT_variance;
    int i = 0;
    for (const Node *n = contrast ? contrast->child : NULL; n; n = n->next, i++)
        if (t->term[i].weight == 0 && (i == 0 || !spreads))
            return document_error(e, &f->document, n->line, "%s: a weight that is not zero is wanted%s", n->key,
                                  spreads ? " of the first arm" : "");
    return RC_OK;
}

static Rc read_test(ClaimFile *f, ClaimTest *t, const Node *n, Error *e) {
    static const char *const known[] = {"metric", "contrast", "against", "expects", "test",
                                        "margin", "reported", "needs",   "primary", "otherwise"};
    const Node *contrast, *against, *expects, *test, *margin, *reported;
    int expect = EXPECT_COUNT, row = 0;
    *t = (ClaimTest){.metric = -1, .margin = (double)NAN, .against = (double)NAN, .line = n->line};
    if (n->kind != NODE_MAPPING) return document_error(e, &f->document, n->line, "%s, not a mapping", node_kind(n));
    if (node_find(n, "theory")) {
        t->expects = EXPECT_COUNT;
        return read_theory(f, t, n, e);
    }
    if (node_find(n, "predictors")) return read_predictors(f, t, n, e);
    if (document_keys(&f->document, n, known, 10, e) || read_primary(f, t, n, e) ||
        document_text(&f->document, n, "needs", false, &t->needs, e))
        return e->code;
    bool full = !t->needs;
    if (document_text(&f->document, n, "metric", true, &t->metric_text, e) ||
        document_entry(&f->document, n, "contrast", NODE_MAPPING, full, &contrast, e) ||
        document_entry(&f->document, n, "expects", NODE_SCALAR, full, &expects, e) ||
        document_entry(&f->document, n, "test", NODE_SCALAR, full, &test, e) ||
        document_entry(&f->document, n, "margin", NODE_SCALAR, false, &margin, e) ||
        document_entry(&f->document, n, "against", NODE_SCALAR, false, &against, e) ||
        document_entry(&f->document, n, "reported", NODE_MAPPING, false, &reported, e))
        return e->code;
    if (read_metric(f, t, node_find(n, "metric"), full, e)) return e->code;
    if (against && (!parse_real(against->text, &t->against) || !isfinite(t->against)))
        return document_error(e, &f->document, against->line, "against: a number is wanted");
    if (contrast && read_contrast(f, t, contrast, e)) return e->code;
    if (expects && document_choice(&f->document, expects, "expects", expect_names, EXPECT_COUNT, &expect, e))
        return e->code;
    t->expects = (Expect)expect;
    if (test) {
        const char *names[64];
        for (size_t i = 0; i < st_tests_count && i < 64; i++) names[i] = st_tests[i].name;
        if (document_choice(&f->document, test, "test", names, (int)st_tests_count, &row, e)) return e->code;
        t->test = &st_tests[row];
    }
    if (test && !strcmp(t->test->name, "predictors"))
        return document_error(e, &f->document, test->line, "test: predictors wants predictors: [METRIC, METRIC]");
    if (test && expects && (t->expects == EXPECT_equal) != (t->test->about == ST_ABOUT_equality))
        return document_error(e, &f->document, test->line, "test: %s shows %s, not what is expected here",
                              t->test->name, t->test->about == ST_ABOUT_equality ? "equality" : "a difference");
    if (test && expects && t->expects == EXPECT_change && !strcmp(t->test->name, "boot-koehn"))
        return document_error(e, &f->document, test->line, "test: boot-koehn has one side, expects: change two");
    if (margin && (!parse_real(margin->text, &t->margin) || !(t->margin > 0)))
        return document_error(e, &f->document, margin->line, "margin: a number above 0 is wanted");
    if (full && t->expects == EXPECT_equal && isnan(t->margin))
        return document_error(e, &f->document, n->line, "expects: equal needs a margin");
    if (against && t->expects == EXPECT_equal)
        return document_error(e, &f->document, n->line, "against: goes with expects: lower or higher");
    if (check_choice(f, t, n, e) || check_gains(f, t, contrast, e)) return e->code;
    return reported ? read_effect(f, t, reported, e) : RC_OK;
}

static Rc read_steps(ClaimFile *f, Claim *c, const Node *at, Error *e) {
    for (const Node *n = at->child; n; n = n->next) {
        if (c->steps == CLAIM_STEPS_MAX)
            return document_error(e, &f->document, n->line, "at: more than %d steps", CLAIM_STEPS_MAX);
        if (positive_integer(f, n, "at", &c->at[c->steps], e)) return e->code;
        if (c->steps && c->at[c->steps] <= c->at[c->steps - 1])
            return document_error(e, &f->document, n->line, "at: steps must ascend");
        c->steps++;
    }
    return RC_OK;
}

static Rc read_answers(const ClaimFile *f, Claim *c, const Node *n, Error *e) {
    const Node *answers = node_find(n, "answers");
    int count = 0;
    if (!answers) return RC_OK;
    if (c->kind != KIND_question)
        return document_error(e, &f->document, answers->line, "answers: only a question (kind: question) has some");
    for (const Node *one = answers->child; one; one = one->next) {
        if (one->kind != NODE_SCALAR || node_empty(one) || count == CLAIM_ANSWERS) count = CLAIM_ANSWERS + 1;
        if (count < CLAIM_ANSWERS) c->answer[count++] = one->text;
    }
    if (count == CLAIM_ANSWERS) return RC_OK;
    return document_error(e, &f->document, answers->line,
                          "answers: three texts are wanted: shown, the opposite, no difference that matters");
}

/* What the claim is, beside its tests. */
static Rc read_nature(ClaimFile *f, Claim *c, const Node *n, Error *e) {
    const Node *kind;
    int at = KIND_measured;
    if (document_text(&f->document, n, "brief", false, &c->brief, e) ||
        document_text(&f->document, n, "number", false, &c->number, e) ||
        document_entry(&f->document, n, "kind", NODE_SCALAR, false, &kind, e) ||
        (kind && document_choice(&f->document, kind, "kind", kind_names, KIND_COUNT, &at, e)))
        return e->code;
    c->kind = (ClaimKind)at;
    if (!c->brief) c->brief = c->says;
    return read_answers(f, c, n, e) ? e->code : claim_own(f, c, n, e);
}

static Rc read_claim(ClaimFile *f, Claim *c, const Node *n, Error *e) {
    static const char *const known[] = {"id",    "source", "says",   "brief", "kind",  "number", "own",
                                        "setup", "at",     "family", "tests", "needs", "note",   "answers"};
    const Node *at, *tests;
    c->line = n->line;
    if (n->kind != NODE_MAPPING) return document_error(e, &f->document, n->line, "%s, not a mapping", node_kind(n));
    if (document_keys(&f->document, n, known, 14, e) || document_text(&f->document, n, "id", true, &c->id, e) ||
        document_text(&f->document, n, "source", true, &c->source, e) ||
        document_text(&f->document, n, "says", true, &c->says, e) ||
        document_text(&f->document, n, "family", true, &c->family, e) ||
        document_text(&f->document, n, "needs", false, &c->needs, e) ||
        document_text(&f->document, n, "note", false, &c->note, e) || read_nature(f, c, n, e) ||
        claim_setups(f, c, n, e) || document_entry(&f->document, n, "at", NODE_SEQUENCE, false, &at, e) ||
        document_entry(&f->document, n, "tests", NODE_SEQUENCE, !c->needs, &tests, e))
        return e->code;
    for (int i = 0; i < f->claims - 1; i++)
        if (!strcmp(f->claim[i].id, c->id))
            return document_error(e, &f->document, n->line, "id: '%s' also stands on line %d", c->id, f->claim[i].line);
    if (at && read_steps(f, c, at, e)) return e->code;
    c->test = mem_alloc(tests ? (size_t)node_children(tests) : 0, sizeof *c->test);
    for (const Node *t = tests ? tests->child : NULL; t; t = t->next)
        if (read_test(f, &c->test[c->tests++], t, e)) return error_prefix(e, "claim %s: ", c->id);
    bool decides = false;
    for (int i = 0; i < c->tests; i++) {
        if (c->test[i].otherwise && !decides)
            return document_error(e, &f->document, c->test[i].line, "claim %s: otherwise: no primary test before it",
                                  c->id);
        decides |= c->test[i].decides;
    }
    if (c->tests && !decides) c->test[0].decides = true;
    if (!c->tests && !c->needs)
        return document_error(e, &f->document, n->line, "claim %s: no tests, and not said what it needs", c->id);
    return RC_OK;
}

static Rc read_claims(ClaimFile *f, const Node *claims, Error *e) {
    f->claim = mem_alloc((size_t)node_children(claims), sizeof *f->claim);
    for (const Node *n = claims->child; n; n = n->next)
        if (read_claim(f, &f->claim[f->claims++], n, e)) return e->code;
    return RC_OK;
}

static Rc read_root(ClaimFile *f, Error *e) {
    static const char *const keys[] = {"writeup", "title",  "source", "author",   "date",
                                       "url",     "setups", "sizes",  "reported", "claims"};
    const Node *root = f->document.root, *setups, *sizes, *reported, *claims;
    if (root->kind != NODE_MAPPING)
        return document_error(e, &f->document, root->line, "%s, not a mapping", node_kind(root));
    if (document_keys(&f->document, root, keys, sizeof keys / sizeof *keys, e)) return e->code;
    if (document_text(&f->document, root, "writeup", true, &f->writeup, e) ||
        document_text(&f->document, root, "title", true, &f->title, e) ||
        document_text(&f->document, root, "source", true, &f->source, e) || read_origin(f, root, e) ||
        document_entry(&f->document, root, "setups", NODE_MAPPING, true, &setups, e) ||
        document_entry(&f->document, root, "sizes", NODE_MAPPING, false, &sizes, e) ||
        document_entry(&f->document, root, "reported", NODE_MAPPING, false, &reported, e) ||
        document_entry(&f->document, root, "claims", NODE_SEQUENCE, true, &claims, e))
        return e->code;
    if (read_setups(f, setups, e)) return e->code;
    if (sizes && read_sizes(f, sizes, e)) return e->code;
    if (reported && read_reported(f, reported, e)) return e->code;
    return read_claims(f, claims, e);
}

Rc claims_parse(ClaimFile *f, const char *file, const char *text, Error *e) {
    *f = (ClaimFile){0};
    snprintf(f->file, sizeof f->file, "%s", file);
    if (document_parse(&f->document, file, text, strlen(text), e)) return e->code;
    if (read_root(f, e)) {
        claims_release(f);
        return e->code;
    }
    return RC_OK;
}

static void keys_release(SetupKey *key, int keys) {
    for (int k = 0; k < keys; k++) free(key[k].value);
    free(key);
}

void claims_release(ClaimFile *f) {
    for (int i = 0; i < f->setups; i++) {
        keys_release(f->setup[i].key, f->setup[i].keys);
        free(f->setup[i].choice);
    }
    for (int i = 0; i < f->sizes; i++) keys_release(f->size[i].key, f->size[i].keys);
    free(f->size);
    for (int i = 0; i < f->tables; i++) free(f->table[i].number);
    for (int i = 0; i < f->claims; i++) free(f->claim[i].test);
    free(f->setup);
    free(f->table);
    free(f->claim);
    document_release(&f->document);
    *f = (ClaimFile){0};
}
