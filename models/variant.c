#include "models/variant.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "models/norm.h"

/* The columns that are read, written and hashed by name: C(key, field, kind, since, default). since and default are
 * those of bench/plan/spec.def: a column younger than the first records is left out of the text where it stands at its
 * default, which never changes. */
typedef enum { COLUMN_NORM, COLUMN_QK, COLUMN_RULE } ColumnKind;
// clang-format off
#define VARIANT_COLUMNS(C) \
    C("attn.in", attn.in, COLUMN_NORM, 1, "none") C("attn.qk", attn.qk, COLUMN_QK, 1, "none") \
    C("attn.mid", attn.mid, COLUMN_NORM, 1, "none") C("attn.out", attn.out, COLUMN_NORM, 1, "none") \
    C("attn.post", attn.post, COLUMN_NORM, 1, "none") C("mlp.in", mlp.in, COLUMN_NORM, 1, "none") \
    C("mlp.mid", mlp.mid, COLUMN_NORM, 1, "none") C("mlp.out", mlp.out, COLUMN_NORM, 1, "none") \
    C("mlp.post", mlp.post, COLUMN_NORM, 1, "none") C("embed", embed, COLUMN_NORM, 1, "none") \
    C("final", final, COLUMN_NORM, 1, "none") C("carry", carry, COLUMN_RULE, 1, "1") \
    C("gate", gate, COLUMN_RULE, 1, "1") C("depth_scale", depth_scale, COLUMN_RULE, 1, "1")
// clang-format on

static const struct {
    size_t at;
    ColumnKind kind;
    int since;
    const char *initial;
} columns[] = {
#define C(key, field, kind, since, initial) {offsetof(Variant, field), kind, since, initial},
    VARIANT_COLUMNS(C)
#undef C
};
const char *const variant_keys[] = {
#define C(key, field, kind, since, initial) key,
    VARIANT_COLUMNS(C)
#undef C
};
const int variant_key_count = sizeof variant_keys / sizeof variant_keys[0];

Site variant_site(const Variant *v, Sub sub, int layer, int depth) {
    assert(layer >= 0 && layer < depth);
    (void)layer, (void)depth;
    return sub == SUB_ATTN ? v->attn : v->mlp;
}

static double value_as_given(double value, int layer, int depth) {
    (void)layer, (void)depth;
    return value;
}

static double value_layer_root(double value, int layer, int depth) {
    (void)depth;
    return value / sqrt(layer + 1);
}

static double value_deep_carry(double value, int layer, int depth) {
    (void)layer;
    return value * sqrt(sqrt(2.0 * depth));
}

/* What a rule learns for each sublayer. */
typedef enum { LEARNS_fixed, LEARNS_number, LEARNS_row } Learns;

static const struct {
    const char *name;
    Learns learns;
    double (*value)(double value, int layer, int depth);
} rules[RULE_COUNT] = {
#define RULE(name, learned, value, formula) [RULE_##name] = {#name, LEARNS_##learned, value_##value},
#include "models/rules.def"
#undef RULE
};

double rule_value(Rule rule, int layer, int depth) {
    return rules[rule.kind].value(rule.value, layer, depth);
}

int rule_width(Rule rule, int width) {
    switch (rules[rule.kind].learns) {
    case LEARNS_fixed: return 0;
    case LEARNS_number: return 1;
    case LEARNS_row: return width;
    }
    return 0;
}

const Variant *variant_find(const char *name, Error *e) {
    const char *names[64] = {NULL};
    assert(variant_count <= 64);
    for (int i = 0; i < variant_count; i++) {
        names[i] = variants[i].name;
        if (!strcmp(name, names[i])) return &variants[i];
    }
    char hint[96];
    error_set(e, RC_USAGE, "unknown variant '%.80s'%s", name,
              did_you_mean(hint, sizeof hint, name, names, (size_t)variant_count));
    size_t n = strlen(e->text);
    for (int i = 0; i < variant_count && !hint[0] && n < sizeof e->text; i++)
        n += (size_t)snprintf(e->text + n, sizeof e->text - n, "%s%s", i ? ", " : "; there are: ", names[i]);
    return NULL;
}

static int column_of(const char *key) {
    for (int i = 0; i < variant_key_count; i++)
        if (!strcmp(key, variant_keys[i])) return i;
    return -1;
}

void variant_valid(const char *key, Text *out) {
    ColumnKind kind = columns[column_of(key)].kind;
    const char *comma = "";
    for (int i = 0; kind != COLUMN_RULE && i < NORM_COUNT; i++) {
        if (kind == COLUMN_QK && !norm_on_qk((Norm)i)) continue;
        text_format(out, "%s%s", comma, norm_info[i].name);
        comma = ", ";
    }
    if (kind == COLUMN_RULE) text_format(out, "a number, or ");
    for (int i = 0; kind == COLUMN_RULE && i < RULE_COUNT; i++, comma = ", ")
        text_format(out, "%s%s", comma, rules[i].name);
    if (kind == COLUMN_RULE) text_format(out, " and a number ('learned 0')");
}

/* Behind what is wrong with a value: all that it may be. */
static Rc list_valid(const char *key, Error *e) {
    Text valid;
    size_t n = strlen(e->text);
    text_init(&valid);
    variant_valid(key, &valid);
    snprintf(e->text + n, sizeof e->text - n, "%s valid: %s", e->text[n - 1] == '?' ? "" : ";", valid.at);
    text_release(&valid);
    return e->code;
}

static Rc set_norm(Norm *norm, ColumnKind kind, const char *key, const char *value, Error *e) {
    const char *names[NORM_COUNT];
    for (int i = 0; i < NORM_COUNT; i++) {
        names[i] = norm_info[i].name;
        if (strcmp(value, norm_info[i].name) && strcmp(value, norm_info[i].alias)) continue;
        if (kind == COLUMN_QK && !norm_on_qk((Norm)i)) {
            error_set(e, RC_USAGE, "%s: '%s' is not possible here", key, value);
            return list_valid(key, e);
        }
        *norm = (Norm)i;
        return RC_OK;
    }
    char hint[96];
    error_set(e, RC_USAGE, "%s: unknown norm '%.80s'%s", key, value,
              did_you_mean(hint, sizeof hint, value, names, NORM_COUNT));
    return list_valid(key, e);
}

static Rc set_rule(Rule *rule, const char *key, const char *value, Error *e) {
    const char *names[RULE_COUNT];
    double number;
    if (parse_real(value, &number)) {
        *rule = (Rule){RULE_constant, number};
        return RC_OK;
    }
    char word[32];
    size_t n = strcspn(value, " ");
    snprintf(word, sizeof word, "%.*s", (int)(n < sizeof word ? n : sizeof word - 1), value);
    for (int i = 0; i < RULE_COUNT; i++) {
        names[i] = rules[i].name;
        if (strcmp(word, names[i])) continue;
        number = 1;
        if (value[n] && !parse_real(value + n + 1, &number))
            return error_set(e, RC_USAGE, "%s: '%s' is not a number", key, value + n + 1);
        *rule = (Rule){(RuleKind)i, number};
        return RC_OK;
    }
    char hint[96];
    error_set(e, RC_USAGE, "%s: '%.80s' is neither a number nor a rule%s", key, value,
              did_you_mean(hint, sizeof hint, word, names, RULE_COUNT));
    return list_valid(key, e);
}

Rc variant_set(Variant *v, const char *key, const char *value, Error *e) {
    int i = column_of(key);
    char hint[96];
    if (i < 0)
        return error_set(e, RC_USAGE, "unknown key '%s'%s", key,
                         did_you_mean(hint, sizeof hint, key, variant_keys, (size_t)variant_key_count));
    void *field = (char *)v + columns[i].at;
    if (columns[i].kind == COLUMN_RULE) return set_rule(field, key, value, e);
    return set_norm(field, columns[i].kind, key, value, e);
}

char *variant_get(char *out, const Variant *v, const char *key) {
    int i = column_of(key);
    assert(i >= 0);
    const void *field = (const char *)v + columns[i].at;
    if (columns[i].kind != COLUMN_RULE) {
        snprintf(out, VARIANT_TEXT_SIZE, "%s", norm_info[*(const Norm *)field].name);
        return out;
    }
    const Rule *rule = field;
    char number[40];
    format_real(number, rule->value);
    if (rule->kind == RULE_constant)
        snprintf(out, VARIANT_TEXT_SIZE, "%s", number);
    else
        snprintf(out, VARIANT_TEXT_SIZE, "%s %s", rules[rule->kind].name, number);
    return out;
}

int variant_since(const char *key) {
    return columns[column_of(key)].since;
}

const char *variant_default(const char *key) {
    return columns[column_of(key)].initial;
}

bool variant_left_out(const char *key, const char *value) {
    Variant v = variants[0];
    char initial[VARIANT_TEXT_SIZE];
    Error none;
    if (variant_since(key) == 1) return false;
    Rc rc = variant_set(&v, key, variant_default(key), &none);
    assert(rc == RC_OK && "a default of a column is not valid");
    (void)rc;
    return !strcmp(value, variant_get(initial, &v, key));
}

void variant_text(const Variant *v, Text *out) {
    char value[VARIANT_TEXT_SIZE];
    for (int i = 0; i < variant_key_count; i++)
        if (!variant_left_out(variant_keys[i], variant_get(value, v, variant_keys[i])))
            text_format(out, "%s = %s\n", variant_keys[i], value);
}
