/* Read single entries of an experiment file: names, texts, numbers, keys of spec.def, seeds. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/plan/looks.h"
#include "bench/plan/reader.h"

const char *const experiment_keys[] = {
#define EXPERIMENT_KEY(name, help) #name,
#include "bench/plan/experiment_keys.def"
#undef EXPERIMENT_KEY
};
const int experiment_key_count = sizeof experiment_keys / sizeof *experiment_keys;

bool is_column(const char *key) {
    for (int i = 0; i < variant_key_count; i++)
        if (!strcmp(key, variant_keys[i])) return true;
    return false;
}

bool name_byte(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
           c == '.';
}

Rc name_check(const Document *d, int line, const char *what, const char *name, size_t longest, Error *e) {
    size_t n = strlen(name);
    if (!n) return document_error(e, d, line, "%s: the name is empty", what);
    if (n > longest)
        return document_error(e, d, line, "%s: the name '%.64s…' is longer than %zu bytes", what, name, longest);
    if (name[0] == '.' || name[0] == '-')
        return document_error(e, d, line, "%s: the name '%s' begins with a '%c'", what, name, name[0]);
    for (size_t i = 0; i < n; i++)
        if (!name_byte(name[i]))
            return document_error(e, d, line, "%s: '%s' is no name (letters, digits, '-', '_', '.')", what, name);
    return RC_OK;
}

Rc spec_set_node(RunSpec *s, const Document *d, const Node *entry, Error *e) {
    if (entry->kind != NODE_SCALAR)
        return document_error(e, d, entry->line, "%s: one value is needed, not %s", entry->key, node_kind(entry));
    if (node_empty(entry)) return document_error(e, d, entry->line, "%s: the value is missing", entry->key);
    if (spec_said_by_program(entry->key))
        return document_error(e, d, entry->line, "%s: only the program sets this key", entry->key);
    if (!spec_set(s, entry->key, entry->text, e)) return RC_OK;
    if (strstr(entry->text, ", ")) /* no decimal comma */
        error_add(e, "; a list stands in brackets: %s: [%.80s]", entry->key, entry->text);
    return document_prefix(e, d, entry->line);
}

Rc unknown_key(const Document *d, const Node *entry, const char *const *more, int count, Error *e) {
    double number;
    for (int i = 0; i < experiment_key_count; i++)
        if (!strcmp(entry->key, experiment_keys[i]))
            return document_error(e, d, entry->key_line, "'%s' belongs at the top level of the file", entry->key);
    if (node_empty(entry) && parse_real(entry->key, &number)) /* {evaluate_at: 0,20} is two entries */
        return document_error(e, d, entry->key_line, "unknown key '%s'; inside {…} quote a value that holds a comma",
                              entry->key);
    if (is_column(entry->key) || !strcmp(entry->key, "variant") || !strcmp(entry->key, "base"))
        return document_error(e, d, entry->key_line,
                              "'%s' says where norms stand: it goes inside an arm, arms: {mine: {variant: pre}}",
                              entry->key);
    spec_unknown(entry->key, more, count, e);
    return document_prefix(e, d, entry->key_line);
}

Rc text_entry(char *out, size_t size, const Document *d, const Node *entry, Error *e) {
    if (entry->kind != NODE_SCALAR)
        return document_error(e, d, entry->line, "%s: one value is needed, not %s", entry->key, node_kind(entry));
    size_t n = strlen(entry->text);
    if (!n) return document_error(e, d, entry->line, "%s: the value is empty", entry->key);
    if (n >= size)
        return document_error(e, d, entry->line, "%s: %zu bytes are too many (at most %zu)", entry->key, n, size - 1);
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)entry->text[i] < ' ' || entry->text[i] == 127)
            return document_error(e, d, entry->line, "%s: the value holds a line break or another control byte",
                                  entry->key);
    memcpy(out, entry->text, n + 1);
    return RC_OK;
}

static Rc add_value(Factor *f, RunSpec *base, const Document *d, const Node *item, Error *e) {
    char value[SPEC_TEXT_SIZE];
    RunSpec s = *base;
    Node entry = *item;
    entry.key = f->key;
    if (f->values == EXPERIMENT_VALUES_MAX)
        return document_error(e, d, item->line, "%s: more than %d values", f->key, (int)EXPERIMENT_VALUES_MAX);
    Rc rc = spec_set_node(&s, d, &entry, e);
    if (rc) return rc;
    spec_get(value, &s, f->key);
    if (strlen(value) >= sizeof f->value[0])
        return document_error(e, d, item->line, "%s: a value of a list has at most %zu bytes", f->key,
                              sizeof f->value[0] - 1);
    for (int i = 0; i < f->values; i++)
        if (!strcmp(value, f->value[i]))
            return document_error(e, d, item->line, "%s: %s stands in the list twice", f->key, value);
    strcpy(f->value[f->values++], value);
    if (f->values == 1) *base = s;
    return RC_OK;
}

Rc apply_key(Reader *r, const Document *d, const Node *n) {
    Experiment *x = r->x;
    x->said |= (uint64_t)1 << spec_index(n->key);
    for (int i = 0; i < x->factors; i++)
        if (!strcmp(x->factor[i].key, n->key)) {
            memmove(&x->factor[i], &x->factor[i + 1], (size_t)(x->factors - i - 1) * sizeof *x->factor);
            x->factors--;
        }
    if (n->kind != NODE_SEQUENCE) return spec_set_node(&r->base, d, n, r->e);
    if (!strcmp(n->key, "evaluate_at"))
        return document_error(r->e, d, n->line, "evaluate_at: write the steps as one word, '0,150,300'");
    if (!n->child) return document_error(r->e, d, n->line, "%s: the list is empty", n->key);
    if (x->factors == EXPERIMENT_FACTORS_MAX)
        return document_error(r->e, d, n->line, "%s: more than %d keys with a list of values", n->key,
                              (int)EXPERIMENT_FACTORS_MAX);
    Factor *f = &x->factor[x->factors++];
    memset(f, 0, sizeof *f);
    snprintf(f->key, sizeof f->key, "%s", n->key);
    for (const Node *item = n->child; item; item = item->next)
        if (add_value(f, &r->base, d, item, r->e)) return r->e->code;
    return RC_OK;
}

const ModelRecipe *recipe_entry(const Document *d, const Node *entry, Error *e) {
    if (entry->kind != NODE_SCALAR) {
        document_error(e, d, entry->line, "recipe: one word is needed, not %s; two recipes are two arms",
                       node_kind(entry));
        return NULL;
    }
    const ModelRecipe *recipe = model_recipe_find(entry->text, e);
    if (!recipe) document_prefix(e, d, entry->line);
    return recipe;
}

Rc apply_recipe(Reader *r, const Document *d, const Node *entry) {
    if (!entry) return RC_OK;
    const ModelRecipe *recipe = recipe_entry(d, entry, r->e);
    if (!recipe) return r->e->code;
    r->recipe = recipe;
    for (int i = 0; i < RECIPE_KEYS_MAX && recipe->pair[i].key; i++) {
        Node n = *entry;
        n.key = (char *)(uintptr_t)recipe->pair[i].key, n.text = (char *)(uintptr_t)recipe->pair[i].value;
        if (apply_key(r, d, &n)) return r->e->code;
    }
    return RC_OK;
}

static Rc parse_seed(const Document *d, const Node *n, int64_t least, int64_t most, int64_t *out, Error *e) {
    if (n->kind != NODE_SCALAR) return document_error(e, d, n->line, "seeds: a number is needed, not %s", node_kind(n));
    if (!parse_whole(n->text, out))
        return document_error(e, d, n->line, "seeds: '%.80s' is not a whole number", n->text);
    if (*out < least || *out > most)
        return document_error(e, d, n->line, "seeds: %lld is out of range (%lld to %lld)", (long long)*out,
                              (long long)least, (long long)most);
    return RC_OK;
}

static bool listed(const Experiment *x, uint64_t seed) {
    for (int i = 0; i < x->seeds; i++)
        if (x->seed[i] == seed) return true;
    return false;
}

static int by_number(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

Rc seeds_go_on(Reader *r, const Document *d, const Node *n, int most) {
    Experiment *x = r->x;
    if (x->seeds > most) x->seeds = most;
    if (x->seeds && x->seed[x->seeds - 1] > (uint64_t)INT64_MAX - (uint64_t)(most - x->seeds))
        return document_error(r->e, d, n->line, "seeds: %d more than %llu would go beyond the largest, %lld",
                              most - x->seeds, (unsigned long long)x->seed[x->seeds - 1], (long long)INT64_MAX);
    x->seed = mem_grow(x->seed, (size_t)most, sizeof *x->seed);
    for (x->most = most; x->seeds < most; x->seeds++) x->seed[x->seeds] = x->seeds ? x->seed[x->seeds - 1] + 1 : 1;
    return RC_OK;
}

/* Apply "{until: decided, most: 64}"; `until` may be omitted if an earlier entry has it. */
static Rc apply_until(Reader *r, const Document *d, const Node *n) {
    const char *const keys[] = {"until", "most"};
    Experiment *x = r->x;
    int64_t most = x->most ? x->most : x->seeds > EXPERIMENT_USUAL_MAX ? x->seeds : EXPERIMENT_USUAL_MAX;
    char word[16], hint[96];
    for (const Node *k = n->child; k; k = k->next)
        if (strcmp(k->key, keys[0]) != 0 && strcmp(k->key, keys[1]) != 0)
            return document_error(r->e, d, k->key_line, "seeds: unknown key '%.60s'%s", k->key,
                                  did_you_mean(hint, sizeof hint, k->key, keys, 2));
    const Node *until = node_find(n, "until"), *limit = node_find(n, "most");
    if (!until && !x->most)
        return document_error(r->e, d, n->line, "seeds: {until: decided, most: 64} is needed, or a number, or a list");
    if (until && text_entry(word, sizeof word, d, until, r->e)) return r->e->code;
    if (until && strcmp(word, "decided") != 0)
        return document_error(r->e, d, until->line, "seeds: until '%s' is not known; until: decided", word);
    if (limit && parse_seed(d, limit, 2, EXPERIMENT_WATCHED_MAX, &most, r->e)) return r->e->code;
    if (most > EXPERIMENT_WATCHED_MAX)
        return document_error(r->e, d, n->line, "seeds: %lld are listed; until it is decided they are %d at most",
                              (long long)most, EXPERIMENT_WATCHED_MAX);
    return seeds_go_on(r, d, n, (int)most);
}

/* Parse "8" (*first 1, *count 8) or "13-24" (13 and 12). */
static Rc parse_range(const Document *d, const Node *n, int64_t *first, int64_t *count, Error *e) {
    const char *dash = n->kind == NODE_SCALAR && n->text[0] ? strchr(n->text + 1, '-') : NULL;
    char text[24];
    int64_t last;
    *first = 1;
    if (!dash) return parse_seed(d, n, 1, EXPERIMENT_SEEDS_MAX, count, e);
    if ((size_t)(dash - n->text) >= sizeof text)
        return document_error(e, d, n->line, "seeds: '%.80s' is neither a number nor a range, 13-24", n->text);
    snprintf(text, sizeof text, "%.*s", (int)(dash - n->text), n->text);
    Node from = *n, to = *n;
    from.text = text, to.text = n->text + (dash - n->text) + 1;
    if (parse_seed(d, &from, 0, INT64_MAX, first, e) || parse_seed(d, &to, *first, INT64_MAX, &last, e)) return e->code;
    *count = last - *first < EXPERIMENT_SEEDS_MAX ? last - *first + 1 : EXPERIMENT_SEEDS_MAX + 1;
    return RC_OK;
}

Rc apply_seeds(Reader *r, const Document *d, const Node *n) {
    Experiment *x = r->x;
    int64_t value, first = 1, count = 0;
    bool list = n->kind == NODE_SEQUENCE;
    if (n->kind == NODE_MAPPING) return apply_until(r, d, n);
    if (!list && parse_range(d, n, &first, &count, r->e)) return r->e->code;
    for (const Node *item = n->child; list && item; item = item->next) count++;
    if (!count || count > EXPERIMENT_SEEDS_MAX)
        return document_error(r->e, d, n->line, "seeds: a list of 1 to %d seeds is needed", (int)EXPERIMENT_SEEDS_MAX);
    free(x->seed);
    x->seed = mem_alloc((size_t)count, sizeof *x->seed);
    x->seeds = x->most = 0;
    if (!list)
        while (x->seeds < count) x->seed[x->seeds] = (uint64_t)(first + x->seeds), x->seeds++;
    for (const Node *item = n->child; list && item; item = item->next) {
        if (parse_seed(d, item, 0, INT64_MAX, &value, r->e)) return r->e->code;
        if (listed(x, (uint64_t)value))
            return document_error(r->e, d, item->line, "seeds: %lld stands in the list twice", (long long)value);
        x->seed[x->seeds++] = (uint64_t)value;
    }
    qsort(x->seed, (size_t)x->seeds, sizeof *x->seed, by_number); /* as pairs are */
    return RC_OK;
}

Rc apply_flag(Reader *r, const Document *d, const Node *n, bool *out) {
    if (n->kind == NODE_SCALAR && parse_bool(n->text, out)) return RC_OK;
    return document_error(r->e, d, n->line, "%s: '%.80s' is neither true nor false", n->key, n->text ? n->text : "[…]");
}

Rc apply_number(Reader *r, const Node *n, double *out, double below) {
    double value;
    if (n->kind != NODE_SCALAR || !parse_real(n->text, &value))
        return document_error(r->e, r->d, n->line, "%s: '%.80s' is not a number", n->key, n->text ? n->text : "[…]");
    if (value <= 0 || value >= below) {
        return document_error(r->e, r->d, n->line, "%s: %.80s is out of range (above 0, below %s)", n->key, n->text,
                              FORMAT_REAL(below));
    }
    *out = value;
    return RC_OK;
}

Rc apply_looks(Reader *r, const Node *n) {
    int at[EXPERIMENT_LOOKS_MAX], count = 0;
    for (const Node *item = n->kind == NODE_SEQUENCE ? n->child : NULL; item; item = item->next, count++) {
        int64_t value = 0;
        if (item->kind != NODE_SCALAR || !parse_whole(item->text, &value) || value < 0 || value > INT_MAX)
            return document_error(r->e, r->d, item->line, "looks: a whole number of seeds is needed");
        if (count < EXPERIMENT_LOOKS_MAX) at[count] = (int)value;
    }
    return looks_apply(r->x, at, count, r->e) ? document_prefix(r->e, r->d, n->line) : RC_OK;
}
