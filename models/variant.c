#include "models/variant.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Names of norms and rules; the first is canonical. */
static const struct {
    const char *name, *alias;
} norm_names[NORM_COUNT] = {
    [NORM_NONE] = {"none", "none"},
    [NORM_LAYERNORM] = {"layernorm", "ln"},
    [NORM_RMSNORM] = {"rmsnorm", "rms"},
    [NORM_CENTER] = {"center", "center"},
};
static const char *const rule_names[RULE_COUNT] = {
    [RULE_CONSTANT] = "constant", [RULE_LAYER_ROOT] = "layer_root",   [RULE_DEEP_CARRY] = "deep_carry",
    [RULE_LEARNED] = "learned",   [RULE_LEARNED_ROW] = "learned_row",
};

/* The columns that are read, written and hashed by name. */
typedef enum { COLUMN_NORM, COLUMN_QK, COLUMN_RULE } ColumnKind;
// clang-format off
#define VARIANT_COLUMNS(C) \
    C("attn.in", attn.in, COLUMN_NORM) C("attn.qk", attn.qk, COLUMN_QK) C("attn.mid", attn.mid, COLUMN_NORM) \
    C("attn.out", attn.out, COLUMN_NORM) C("attn.post", attn.post, COLUMN_NORM) C("mlp.in", mlp.in, COLUMN_NORM) \
    C("mlp.mid", mlp.mid, COLUMN_NORM) C("mlp.out", mlp.out, COLUMN_NORM) C("mlp.post", mlp.post, COLUMN_NORM) \
    C("embed", embed, COLUMN_NORM) C("final", final, COLUMN_NORM) C("carry", carry, COLUMN_RULE) \
    C("gate", gate, COLUMN_RULE) C("depth_scale", depth_scale, COLUMN_RULE)
// clang-format on

static const struct {
    size_t at;
    ColumnKind kind;
} columns[] = {
#define C(key, field, kind) {offsetof(Variant, field), kind},
    VARIANT_COLUMNS(C)
#undef C
};
const char *const variant_keys[] = {
#define C(key, field, kind) key,
    VARIANT_COLUMNS(C)
#undef C
};
const int variant_key_count = sizeof variant_keys / sizeof variant_keys[0];

Site variant_site(const Variant *v, Sub sub, int layer, int depth) {
    assert(layer >= 0 && layer < depth);
    (void)layer, (void)depth;
    return sub == SUB_ATTN ? v->attn : v->mlp;
}

double rule_value(Rule rule, int layer, int depth) {
    switch (rule.kind) {
    case RULE_LAYER_ROOT: return rule.value / sqrt(layer + 1);
    case RULE_DEEP_CARRY: return rule.value * sqrt(sqrt(2.0 * depth));
    default: return rule.value;
    }
}

bool rule_learned(Rule rule) {
    return rule.kind == RULE_LEARNED || rule.kind == RULE_LEARNED_ROW;
}

const Variant *variant_find(const char *name, Error *e) {
    const char *names[64];
    assert(variant_count <= 64);
    for (int i = 0; i < variant_count; i++) {
        names[i] = variants[i].name;
        if (!strcmp(name, names[i])) return &variants[i];
    }
    char hint[96];
    error_set(e, RC_USAGE, "unknown variant '%s'%s", name,
              did_you_mean(hint, sizeof hint, name, names, (size_t)variant_count));
    return NULL;
}

static int column_of(const char *key) {
    for (int i = 0; i < variant_key_count; i++)
        if (!strcmp(key, variant_keys[i])) return i;
    return -1;
}

static Rc set_norm(Norm *norm, ColumnKind kind, const char *key, const char *value, Error *e) {
    const char *names[NORM_COUNT];
    for (int i = 0; i < NORM_COUNT; i++) {
        names[i] = norm_names[i].name;
        if (strcmp(value, norm_names[i].name) && strcmp(value, norm_names[i].alias)) continue;
        if (kind == COLUMN_QK && i != NORM_NONE && i != NORM_RMSNORM)
            return error_set(e, RC_USAGE, "%s: '%s' is not possible here; valid: none, rmsnorm", key, value);
        *norm = (Norm)i;
        return RC_OK;
    }
    char hint[96];
    return error_set(e, RC_USAGE, "%s: unknown norm '%s'%s", key, value,
                     did_you_mean(hint, sizeof hint, value, names, NORM_COUNT));
}

static Rc set_rule(Rule *rule, const char *key, const char *value, Error *e) {
    double number;
    if (parse_real(value, &number)) {
        *rule = (Rule){RULE_CONSTANT, number};
        return RC_OK;
    }
    char word[32];
    size_t n = strcspn(value, " ");
    snprintf(word, sizeof word, "%.*s", (int)(n < sizeof word ? n : sizeof word - 1), value);
    for (int i = 0; i < RULE_COUNT; i++) {
        if (strcmp(word, rule_names[i])) continue;
        number = 1;
        if (value[n] && !parse_real(value + n + 1, &number))
            return error_set(e, RC_USAGE, "%s: '%s' is not a number", key, value + n + 1);
        *rule = (Rule){(RuleKind)i, number};
        return RC_OK;
    }
    char hint[96];
    return error_set(e, RC_USAGE, "%s: '%s' is neither a number nor a rule%s", key, value,
                     did_you_mean(hint, sizeof hint, word, rule_names, RULE_COUNT));
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
        snprintf(out, 64, "%s", norm_names[*(const Norm *)field].name);
        return out;
    }
    const Rule *rule = field;
    char number[40];
    format_real(number, rule->value);
    if (rule->kind == RULE_CONSTANT)
        snprintf(out, 64, "%s", number);
    else
        snprintf(out, 64, "%s %s", rule_names[rule->kind], number);
    return out;
}

void variant_text(const Variant *v, Text *out) {
    char value[64];
    for (int i = 0; i < variant_key_count; i++)
        text_format(out, "%s = %s\n", variant_keys[i], variant_get(value, v, variant_keys[i]));
}
