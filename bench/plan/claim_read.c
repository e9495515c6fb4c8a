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

/* A claims file while it is read. */
typedef struct {
    ClaimFile *f;
    const Document *d;
    Error *e;
} Reader;

#define FIELDS(r, n, ...) DOCUMENT_FIELDS((r)->d, n, (r)->e, __VA_ARGS__)
#define BAD(r, at, ...) document_error((r)->e, (r)->d, (at)->line, __VA_ARGS__)

static Rc check_origin(Reader *r, const Node *root) {
    const ClaimFile *f = r->f;
    if (f->date && !is_date(f->date))
        return BAD(r, node_find(root, "date"), "date: '%.60s' is no YYYY-MM-DD, YYYY-MM or YYYY", f->date);
    if (f->url && !is_url(f->url))
        return BAD(r, node_find(root, "url"), "url: '%.100s' is no address such as https://example.org/page", f->url);
    return RC_OK;
}

/* One allowed value of a key, as its canonical text. */
static Rc setup_value(Reader *r, SetupKey *key, const Node *at, RunSpec *scratch) {
    if (at->kind != NODE_SCALAR) return BAD(r, at, "%s: %s, not a value", key->key, node_kind(at));
    if (spec_set(scratch, key->key, at->text, r->e)) return document_prefix(r->e, r->d, at->line);
    spec_get(key->value[key->values++], scratch, key->key);
    return RC_OK;
}

static Rc setup_key(Reader *r, SetupKey *key, const Node *entry) {
    RunSpec scratch;
    bool list = entry->kind == NODE_SEQUENCE;
    key->key = entry->key;
    key->value = mem_alloc((size_t)(list ? node_children(entry) : 1), sizeof *key->value);
    spec_init(&scratch);
    if (!spec_has(entry->key)) {
        spec_unknown(entry->key, NULL, 0, r->e);
        return document_prefix(r->e, r->d, entry->key_line);
    }
    if (!list) return setup_value(r, key, entry, &scratch);
    if (!entry->child) return BAD(r, entry, "%s: an empty list", entry->key);
    for (const Node *v = entry->child; v; v = v->next)
        if (setup_value(r, key, v, &scratch)) return r->e->code;
    return RC_OK;
}

/* keys: {KEY: value or list of values}; NULL: none. */
static Rc setup_keys(Reader *r, SetupKey **key, int *count, const Node *keys) {
    *key = mem_alloc(keys ? (size_t)node_children(keys) : 0, sizeof **key);
    for (const Node *k = keys ? keys->child : NULL; k; k = k->next)
        if (setup_key(r, &(*key)[(*count)++], k)) return r->e->code;
    return RC_OK;
}

static Rc read_setup(Reader *r, const Node *n) {
    const Node *keys, *choices;
    ClaimSetup *s = &r->f->setup[r->f->setups++];
    s->name = n->key;
    if (FIELDS(r, n, FIELD_NODE("keys", true, MAPPING, &keys), FIELD_NODE("choices", true, SEQUENCE, &choices)))
        return r->e->code;
    s->choice = mem_alloc((size_t)node_children(choices), sizeof *s->choice);
    if (setup_keys(r, &s->key, &s->keys, keys)) return r->e->code;
    for (const Node *c = choices->child; c; c = c->next) {
        if (c->kind != NODE_SCALAR || node_empty(c)) return BAD(r, c, "choices: a line of text is wanted");
        s->choice[s->choices++] = c->text;
    }
    return RC_OK;
}

static Rc find_setup(Reader *r, const Node *at, const ClaimSetup **out) {
    int i;
    if (document_named(r->d, at, "setup", r->f->setup, sizeof *r->f->setup, r->f->setups, &i, r->e)) return r->e->code;
    *out = &r->f->setup[i];
    return RC_OK;
}

static Rc read_size(Reader *r, const Node *n) {
    const Node *setup, *keys;
    ClaimSize *s = &r->f->size[r->f->sizes++];
    s->name = n->key;
    if (FIELDS(r, n, FIELD_TEXT("shape", false, &s->shape), FIELD_TEXT("parameters", false, &s->parameters),
               FIELD_TEXT("tokens", false, &s->tokens), FIELD_TEXT("corpus", false, &s->corpus),
               FIELD_TEXT("seeds", false, &s->seeds), FIELD_TEXT("takes", false, &s->takes),
               FIELD_NODE("setup", false, SCALAR, &setup), FIELD_NODE("keys", false, MAPPING, &keys)))
        return r->e->code;
    if (setup && find_setup(r, setup, &s->setup)) return r->e->code;
    return setup_keys(r, &s->key, &s->keys, keys);
}

/* The names of an entry, one or a list: indices into `count` structs of `size` bytes. */
static Rc read_names(Reader *r, const Node *entry, const char *kinds, const void *structs, size_t size, int count,
                     int most, int *out, int *outs) {
    for (const Node *one = entry->kind == NODE_SEQUENCE ? entry->child : entry; one; one = one->next) {
        if (*outs == most) return BAD(r, one, "%s: more than %d %s", entry->key, most, kinds);
        if (document_named(r->d, one, entry->key, structs, size, count, &out[(*outs)++], r->e)) return r->e->code;
        if (one == entry) break;
    }
    return *outs ? RC_OK : BAD(r, entry, "%s: an empty list", entry->key);
}

static Rc read_places_of(Reader *r, Claim *c, const Node *own, const Node *setup) {
    const ClaimFile *f = r->f;
    int size[CLAIM_OWN_MAX], setups[CLAIM_SETUPS_MAX];
    if (own && read_names(r, own, "sizes", f->size, sizeof *f->size, f->sizes, CLAIM_OWN_MAX, size, &c->own_count))
        return r->e->code;
    if (read_names(r, setup, "set-ups", f->setup, sizeof *f->setup, f->setups, CLAIM_SETUPS_MAX, setups, &c->setups))
        return r->e->code;
    for (int i = 0; i < c->own_count; i++) c->own[i] = &f->size[size[i]];
    for (int i = 0; i < c->setups; i++) c->setup[i] = &f->setup[setups[i]];
    return RC_OK;
}

/* "lr=best" and "step=N", which are no keys of a run; RC_OK and *taken false for another pair. */
static Rc arm_choice(Reader *r, const Node *entry, const char *key, const char *value, ClaimArm *out, bool *taken) {
    int64_t step;
    *taken = true;
    if (!strcmp(key, "lr") && !strcmp(value, "best")) {
        out->best = true;
        return RC_OK;
    }
    *taken = !strcmp(key, "step");
    if (!*taken) return RC_OK;
    if (!parse_integer(value, &step) || step < 1 || step > 1000000000)
        return document_error(r->e, r->d, entry->key_line, "'%s': step: a whole number from 1 to 10^9 is wanted",
                              entry->key);
    out->step = (int)step;
    return RC_OK;
}

static Rc read_arm(Reader *r, const Node *entry, ClaimArm *out) {
    const char *at = strchr(entry->key, '@');
    size_t length = at ? (size_t)(at - entry->key) : strlen(entry->key);
    RunSpec scratch;
    spec_init(&scratch);
    *out = (ClaimArm){.text = entry->key};
    if (!length || length >= sizeof out->name)
        return document_error(r->e, r->d, entry->key_line, "'%s': no arm's name", entry->key);
    memcpy(out->name, entry->key, length);
    while (at) {
        char pair[SPEC_TEXT_SIZE], *value, canonical[SPEC_TEXT_SIZE];
        const char *from = at + 1;
        size_t n = strcspn(from, ",");
        at = from[n] ? from + n : NULL;
        snprintf(pair, sizeof pair, "%.*s", (int)n, from);
        value = strchr(pair, '=');
        if (!value || out->at_count == CLAIM_KEYS_MAX)
            return document_error(r->e, r->d, entry->key_line, "'%s': NAME@KEY=VALUE with up to %d keys is wanted",
                                  entry->key, CLAIM_KEYS_MAX);
        *value++ = 0;
        bool taken;
        if (arm_choice(r, entry, pair, value, out, &taken)) return r->e->code;
        if (taken) continue;
        if (spec_set(&scratch, pair, value, r->e)) return document_prefix(r->e, r->d, entry->key_line);
        snprintf(out->at[out->at_count].key, sizeof out->at->key, "%.47s", pair);
        snprintf(out->at[out->at_count++].value, sizeof out->at->value, "%.63s", spec_get(canonical, &scratch, pair));
    }
    return RC_OK;
}

static Rc positive_integer(Reader *r, const Node *at, const char *what, int *out) {
    int64_t value;
    if (at->kind != NODE_SCALAR || !parse_whole(at->text, &value) || value < 1 || value > 1000000000)
        return BAD(r, at, "%s: a whole number from 1 to 10^9 is wanted", what);
    *out = (int)value;
    return RC_OK;
}

/* A metric, or a metric and "_sd". */
static Rc check_quantity(Reader *r, int line, const char *name) {
    char metric[48];
    Metric found;
    snprintf(metric, sizeof metric, "%.*s", (int)strlen(name) - (text_ends(name, "_sd") ? 3 : 0), name);
    return metric_find(&found, metric, r->e) ? document_prefix(r->e, r->d, line) : RC_OK;
}

static Rc reported_values(Reader *r, ReportedTable *t, const Node *arm) {
    if (arm->kind != NODE_MAPPING) return BAD(r, arm, "%s: %s, not a mapping", arm->key, node_kind(arm));
    for (const Node *n = arm->child; n; n = n->next) {
        ReportedNumber number = {.quantity = n->key, .text = n->text, .line = n->line};
        if (read_arm(r, arm, &number.arm) || check_quantity(r, n->key_line, n->key)) return r->e->code;
        if (n->kind != NODE_SCALAR || !parse_real(n->text, &number.value)) return BAD(r, n, "%s: not a number", n->key);
        t->number = mem_grow(t->number, (size_t)t->numbers + 1, sizeof *t->number);
        t->number[t->numbers++] = number;
    }
    return RC_OK;
}

static Rc read_reported(Reader *r, const Node *n) {
    const Node *setup, *step, *seeds, *values;
    ReportedTable *t = &r->f->table[r->f->tables++];
    t->name = n->key;
    if (FIELDS(r, n, FIELD_TEXT("where", true, &t->where), FIELD_NODE("setup", true, SCALAR, &setup),
               FIELD_NODE("step", true, SCALAR, &step), FIELD_NODE("seeds", true, SCALAR, &seeds),
               FIELD_NODE("values", true, MAPPING, &values)) ||
        find_setup(r, setup, &t->setup) || positive_integer(r, step, "step", &t->step) ||
        positive_integer(r, seeds, "seeds", &t->seeds))
        return r->e->code;
    for (const Node *arm = values->child; arm; arm = arm->next)
        if (reported_values(r, t, arm)) return r->e->code;
    return RC_OK;
}

/* Weights that add up to zero, so that a shift common to all arms cancels; compared with a number they may be any. */
static Rc read_contrast(Reader *r, ClaimTest *t, const Node *contrast) {
    double sum = 0, size = 0;
    for (const Node *n = contrast->child; n; n = n->next) {
        ClaimTerm term = {0};
        if (t->terms == CLAIM_TERMS_MAX) return BAD(r, n, "contrast: more than %d arms", CLAIM_TERMS_MAX);
        if (n->kind != NODE_SCALAR || !parse_real(n->text, &term.weight))
            return BAD(r, n, "%s: a weight that is not zero is wanted", n->key);
        if (read_arm(r, n, &term.arm)) return r->e->code;
        t->term[t->terms++] = term;
        sum += term.weight, size += fabs(term.weight);
    }
    if (!(size > 0) || (isnan(t->against) && fabs(sum) > 1e-9 * size))
        return BAD(r, contrast,
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
static Rc read_effect(Reader *r, ClaimTest *t, const Node *reported) {
    const ClaimFile *f = r->f;
    const Node *table, *as;
    int at, form;
    if (FIELDS(r, reported, FIELD_NODE("table", true, SCALAR, &table), FIELD_TEXT("of", true, &t->of),
               FIELD_NODE("as", true, SCALAR, &as)) ||
        document_named(r->d, table, "table", f->table, sizeof *f->table, f->tables, &at, r->e) ||
        document_choice(r->d, as, "as", effect_names, EFFECT_COUNT, &form, r->e))
        return r->e->code;
    t->table = &f->table[at];
    t->form = (EffectForm)form;
    for (int i = 0; i < t->terms; i++) {
        Rc positive = RC_OK;
        const ReportedNumber *number = any_number(t, t->term[i].arm.name, &positive);
        if (!number)
            return BAD(r, reported, "table '%s' has no %s of arm '%s'", t->table->name, t->of, t->term[i].arm.name);
        if (positive) return BAD(r, number, "%s: no logarithm", number->text);
    }
    return RC_OK;
}

/* "EXPERIMENT@KEY=VALUE,step=N": where a primary test decides. */
static Rc read_place(Reader *r, ClaimTest *t, const Node *n) {
    Node entry = *n;
    if (t->places == CLAIM_PLACES_MAX) return BAD(r, n, "primary: more than %d places", CLAIM_PLACES_MAX);
    if (n->kind != NODE_SCALAR) return BAD(r, n, "primary: %s, not a place", node_kind(n));
    entry.key = n->text, entry.key_line = n->line;
    if (read_arm(r, &entry, &t->place[t->places])) return r->e->code;
    if (t->place[t->places++].best) return BAD(r, n, "primary: a place has no lr=best");
    return RC_OK;
}

/* The keys that read_primary reads. */
#define PRIMARY_FIELDS \
    {.key = "primary", .any = true}, { \
        .key = "otherwise", .any = true \
    }
static Rc read_primary(Reader *r, ClaimTest *t, const Node *n) {
    const Node *primary = node_find(n, "primary"), *otherwise = node_find(n, "otherwise");
    if (primary && otherwise) return BAD(r, otherwise, "otherwise: a test is primary or stands in for one");
    if (otherwise) primary = otherwise, t->otherwise = true;
    if (!primary) return RC_OK;
    t->decides = true;
    if (primary->kind == NODE_SCALAR && !strcmp(primary->text, "true")) return RC_OK;
    if (primary->kind != NODE_SEQUENCE || !primary->child)
        return BAD(r, primary, "primary: true, or a list of places, is wanted");
    if (t->theories || node_find(n, "theory")) return BAD(r, primary, "primary: statements have no place: true");
    for (const Node *one = primary->child; one; one = one->next)
        if (read_place(r, t, one)) return r->e->code;
    return RC_OK;
}

/* A test that statements decide has nothing else beside its metric's text. */
static Rc read_theory(Reader *r, ClaimTest *t, const Node *n) {
    const Node *list;
    t->expects = EXPECT_COUNT;
    if (FIELDS(r, n, FIELD_TEXT("metric", true, &t->metric_text), FIELD_NODE("theory", true, SEQUENCE, &list),
               PRIMARY_FIELDS) ||
        read_primary(r, t, n))
        return r->e->code;
    if (!list->child) return BAD(r, list, "theory: an empty list");
    for (const Node *one = list->child; one; one = one->next) {
        if (t->theories == CLAIM_THEORIES_MAX)
            return BAD(r, one, "theory: more than %d statements", CLAIM_THEORIES_MAX);
        if (one->kind != NODE_SCALAR) return BAD(r, one, "theory: %s, not a value", node_kind(one));
        if (statement_find(&t->theory[t->theories++], one->text, r->e)) return document_prefix(r->e, r->d, one->line);
    }
    return RC_OK;
}

/* A metric of a run, or of a grid of rates. */
static Rc read_metric(Reader *r, ClaimTest *t, const Node *at, bool full) {
    Metric metric;
    Error unknown;
    if (!metric_find(&metric, t->metric_text, r->e))
        t->metric = (int)metric;
    else if (!grid_find(&t->grid, t->metric_text, &unknown))
        t->metric = METRIC_valid_loss;
    else if (full)
        return document_prefix(r->e, r->d, at->line);
    return RC_OK;
}

/* Arms at their best rates are tested by swaps of whole grids, and nothing else is. */
static Rc check_choice(Reader *r, const ClaimTest *t, const Node *n) {
    int best = 0;
    bool choice = t->test && !strcmp(t->test->name, "choice");
    for (int i = 0; i < t->terms; i++) best += t->term[i].arm.best;
    if (!best && !choice) return RC_OK;
    bool pair = t->terms == 2 && best == 2 && fabs(t->term[0].weight) == 1 && fabs(t->term[1].weight) == 1 &&
                t->term[0].weight == -t->term[1].weight;
    if (!choice || !pair)
        return BAD(r, n, "lr=best: wants test: choice and two arms, both lr=best, of weights 1 and -1");
    if (t->grid)
        return BAD(r, n, "lr=best: '%s' is of all rates; a metric of the run at the rate that valid_loss chooses",
                   t->metric_text);
    return RC_OK;
}

/* An arm of a list: its text read as that of a contrast. */
static Rc list_arm(Reader *r, ClaimTest *t, const Node *n) {
    ClaimTerm term = {.weight = 1};
    Node entry = *n;
    if (t->terms == CLAIM_TERMS_MAX) return BAD(r, n, "arms: more than %d", CLAIM_TERMS_MAX);
    if (n->kind != NODE_SCALAR) return BAD(r, n, "arms: %s, not a name", node_kind(n));
    entry.key = n->text, entry.key_line = n->line;
    if (read_arm(r, &entry, &term.arm)) return r->e->code;
    if (term.arm.best || term.arm.step)
        return BAD(r, n, "arms: all rates count, and the last step: no lr=best, no step");
    t->term[t->terms++] = term;
    return RC_OK;
}

static Rc predictor(Reader *r, ClaimTest *t, const Node *n) {
    Metric *metric = &t->predictor[t->predictors];
    if (t->predictors == 2) return BAD(r, n, "predictors: two metrics are wanted, not more");
    if (n->kind != NODE_SCALAR) return BAD(r, n, "predictors: %s, not a metric", node_kind(n));
    if (metric_find(metric, n->text, r->e)) return document_prefix(r->e, r->d, n->line);
    if (!metric_info[*metric].reads[0])
        return BAD(r, n, "predictors: '%s' is of no curve, so the first update does not give it", n->text);
    t->predictors++;
    return RC_OK;
}

/* A test that compares what two metrics explain. */
static Rc read_predictors(Reader *r, ClaimTest *t, const Node *n) {
    static const char *const sides[] = {"lower", "higher"};
    const Node *list, *arms, *expects;
    const char *test;
    int side;
    if (FIELDS(r, n, FIELD_TEXT("needs", false, &t->needs), FIELD_TEXT("metric", true, &t->metric_text),
               FIELD_NODE("predictors", true, SEQUENCE, &list), FIELD_NODE("arms", true, SEQUENCE, &arms),
               FIELD_NODE("expects", true, SCALAR, &expects), FIELD_TEXT("test", true, &test), PRIMARY_FIELDS) ||
        read_primary(r, t, n) || document_choice(r->d, expects, "expects", sides, 2, &side, r->e))
        return r->e->code;
    if (strcmp(t->metric_text, "failed") || strcmp(test, "predictors"))
        return BAD(r, n, "predictors: go with metric: failed and test: predictors");
    for (const Node *one = list->child; one; one = one->next)
        if (predictor(r, t, one)) return r->e->code;
    if (t->predictors < 2 || t->predictor[0] == t->predictor[1])
        return BAD(r, list, "predictors: two different metrics are wanted");
    for (const Node *one = arms->child; one; one = one->next)
        if (list_arm(r, t, one)) return r->e->code;
    if (!t->terms) return BAD(r, arms, "arms: an empty list");
    t->expects = (Expect)side, t->test = st_test_find(test);
    t->metric = METRIC_valid_loss;
    return grid_find(&t->grid, t->metric_text, r->e);
}

/* An arm of weight zero is what both sides of a test of two spreads are gains over. */
static Rc check_gains(Reader *r, const ClaimTest *t, const Node *contrast) {
    bool spreads = t->test && t->test->about == ST_ABOUT_variance;
    int i = 0;
    for (const Node *n = contrast ? contrast->child : NULL; n; n = n->next, i++)
        if (t->term[i].weight == 0 && (i == 0 || !spreads))
            return BAD(r, n, "%s: a weight that is not zero is wanted%s", n->key, spreads ? " of the first arm" : "");
    return RC_OK;
}

/* What goes with the test and with what it expects. */
static Rc check_test(Reader *r, const ClaimTest *t, const Node *n, const Node *contrast, const Node *test) {
    bool expects = t->expects != EXPECT_COUNT, equality = test && t->test->about == ST_ABOUT_equality;
    if (test && !strcmp(t->test->name, "predictors"))
        return BAD(r, test, "test: predictors wants predictors: [METRIC, METRIC]");
    if (test && expects && (t->expects == EXPECT_equal) != equality)
        return BAD(r, test, "test: %s shows %s, not what is expected here", t->test->name,
                   equality ? "equality" : "a difference");
    if (test && t->expects == EXPECT_change && !strcmp(t->test->name, "boot-koehn"))
        return BAD(r, test, "test: boot-koehn has one side, expects: change two");
    if (!t->needs && t->expects == EXPECT_equal && isnan(t->margin)) return BAD(r, n, "expects: equal needs a margin");
    if (!isnan(t->against) && t->expects == EXPECT_equal)
        return BAD(r, n, "against: goes with expects: lower or higher");
    return check_choice(r, t, n) ? r->e->code : check_gains(r, t, contrast);
}

static Rc read_test(Reader *r, ClaimTest *t, const Node *n) {
    const Node *contrast, *against, *expects, *test, *margin, *reported;
    int expect = EXPECT_COUNT, row = 0;
    *t = (ClaimTest){.metric = -1, .margin = (double)NAN, .against = (double)NAN, .line = n->line};
    if (node_find(n, "theory")) return read_theory(r, t, n);
    if (node_find(n, "predictors")) return read_predictors(r, t, n);
    bool full = !node_find(n, "needs");
    if (FIELDS(r, n, FIELD_TEXT("needs", false, &t->needs), FIELD_TEXT("metric", true, &t->metric_text),
               FIELD_NODE("contrast", full, MAPPING, &contrast), FIELD_NODE("expects", full, SCALAR, &expects),
               FIELD_NODE("test", full, SCALAR, &test), FIELD_NODE("margin", false, SCALAR, &margin),
               FIELD_NODE("against", false, SCALAR, &against), FIELD_NODE("reported", false, MAPPING, &reported),
               PRIMARY_FIELDS) ||
        read_primary(r, t, n) || read_metric(r, t, node_find(n, "metric"), full))
        return r->e->code;
    if (against && (!parse_real(against->text, &t->against) || !isfinite(t->against)))
        return BAD(r, against, "against: a number is wanted");
    if (margin && (!parse_real(margin->text, &t->margin) || !(t->margin > 0)))
        return BAD(r, margin, "margin: a number above 0 is wanted");
    if (contrast && read_contrast(r, t, contrast)) return r->e->code;
    if (expects && document_choice(r->d, expects, "expects", expect_names, EXPECT_COUNT, &expect, r->e))
        return r->e->code;
    if (test && document_named(r->d, test, "test", st_tests, sizeof *st_tests, (int)st_tests_count, &row, r->e))
        return r->e->code;
    t->expects = (Expect)expect;
    t->test = test ? &st_tests[row] : NULL;
    if (check_test(r, t, n, contrast, test)) return r->e->code;
    return reported ? read_effect(r, t, reported) : RC_OK;
}

static Rc read_steps(Reader *r, Claim *c, const Node *at) {
    for (const Node *n = at->child; n; n = n->next) {
        if (c->steps == CLAIM_STEPS_MAX) return BAD(r, n, "at: more than %d steps", CLAIM_STEPS_MAX);
        if (positive_integer(r, n, "at", &c->at[c->steps])) return r->e->code;
        if (c->steps && c->at[c->steps] <= c->at[c->steps - 1]) return BAD(r, n, "at: steps must ascend");
        c->steps++;
    }
    return RC_OK;
}

static Rc read_answers(Reader *r, Claim *c, const Node *answers) {
    int count = 0;
    if (!answers) return RC_OK;
    if (c->kind != KIND_question) return BAD(r, answers, "answers: only a question (kind: question) has some");
    for (const Node *one = answers->child; one; one = one->next) {
        if (one->kind != NODE_SCALAR || node_empty(one) || count == CLAIM_ANSWERS) count = CLAIM_ANSWERS + 1;
        if (count < CLAIM_ANSWERS) c->answer[count++] = one->text;
    }
    if (count == CLAIM_ANSWERS) return RC_OK;
    return BAD(r, answers, "answers: three texts are wanted: shown, the opposite, no difference that matters");
}

/* The tests of a claim, of which at least one decides. */
static Rc read_tests(Reader *r, Claim *c, const Node *tests) {
    bool decides = false;
    c->test = mem_alloc(tests ? (size_t)node_children(tests) : 0, sizeof *c->test);
    for (const Node *n = tests ? tests->child : NULL; n; n = n->next) {
        ClaimTest *t = &c->test[c->tests++];
        if (read_test(r, t, n)) return error_prefix(r->e, "claim %s: ", c->id);
        if (t->otherwise && !decides) return BAD(r, t, "claim %s: otherwise: no primary test before it", c->id);
        decides |= t->decides;
    }
    if (c->tests && !decides) c->test[0].decides = true;
    return RC_OK;
}

static Rc read_claim(Reader *r, const Node *n) {
    const ClaimFile *f = r->f;
    const Node *at, *tests, *kind, *own, *setup, *answers;
    int which = KIND_measured;
    Claim *c = &r->f->claim[r->f->claims++];
    c->line = n->line;
    if (FIELDS(r, n, FIELD_TEXT("id", true, &c->id), FIELD_TEXT("source", true, &c->source),
               FIELD_TEXT("says", true, &c->says), FIELD_TEXT("brief", false, &c->brief),
               FIELD_NODE("kind", false, SCALAR, &kind), FIELD_TEXT("number", false, &c->number),
               {.key = "own", .any = true, .node = &own},
               {.key = "setup", .required = true, .any = true, .node = &setup}, FIELD_NODE("at", false, SEQUENCE, &at),
               FIELD_TEXT("family", true, &c->family), FIELD_NODE("tests", !node_find(n, "needs"), SEQUENCE, &tests),
               FIELD_TEXT("needs", false, &c->needs), FIELD_TEXT("note", false, &c->note),
               {.key = "answers", .any = true, .node = &answers}))
        return r->e->code;
    if (kind && document_choice(r->d, kind, "kind", kind_names, KIND_COUNT, &which, r->e)) return r->e->code;
    c->kind = (ClaimKind)which;
    if (!c->brief) c->brief = c->says;
    if (read_answers(r, c, answers) || read_places_of(r, c, own, setup)) return r->e->code;
    for (int i = 0; i < f->claims - 1; i++)
        if (!strcmp(f->claim[i].id, c->id))
            return BAD(r, n, "id: '%s' also stands on line %d", c->id, f->claim[i].line);
    if ((at && read_steps(r, c, at)) || read_tests(r, c, tests)) return r->e->code;
    return c->tests || c->needs ? RC_OK : BAD(r, n, "claim %s: no tests, and not said what it needs", c->id);
}

/* The entries of a mapping or list, each by a function that adds one; NULL: none. */
static Rc each(Reader *r, const Node *list, void **out, size_t size, Rc (*read)(Reader *, const Node *)) {
    *out = mem_alloc(list ? (size_t)node_children(list) : 0, size);
    for (const Node *n = list ? list->child : NULL; n; n = n->next)
        if (read(r, n)) return r->e->code;
    return RC_OK;
}

static Rc read_root(Reader *r) {
    ClaimFile *f = r->f;
    const Node *root = r->d->root, *setups, *sizes, *reported, *claims;
    if (FIELDS(r, root, FIELD_TEXT("writeup", true, &f->writeup), FIELD_TEXT("title", true, &f->title),
               FIELD_TEXT("source", true, &f->source), FIELD_TEXT("author", false, &f->author),
               FIELD_TEXT("date", false, &f->date), FIELD_TEXT("url", false, &f->url),
               FIELD_NODE("setups", true, MAPPING, &setups), FIELD_NODE("sizes", false, MAPPING, &sizes),
               FIELD_NODE("reported", false, MAPPING, &reported), FIELD_NODE("claims", true, SEQUENCE, &claims)) ||
        check_origin(r, root) || each(r, setups, (void **)&f->setup, sizeof *f->setup, read_setup) ||
        each(r, sizes, (void **)&f->size, sizeof *f->size, read_size) ||
        each(r, reported, (void **)&f->table, sizeof *f->table, read_reported))
        return r->e->code;
    return each(r, claims, (void **)&f->claim, sizeof *f->claim, read_claim);
}

Rc claims_parse(ClaimFile *f, const char *file, const char *text, Error *e) {
    Reader r = {.f = f, .d = &f->document, .e = e};
    *f = (ClaimFile){0};
    snprintf(f->file, sizeof f->file, "%s", file);
    if (document_parse(&f->document, file, text, strlen(text), e)) return e->code;
    Rc rc = read_root(&r);
    if (rc) claims_release(f);
    return rc;
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
