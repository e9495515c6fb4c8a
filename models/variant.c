#include "models/variant.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "models/norm.h"

/* The columns that are read, written and hashed by name: C(key, field, kind, since, default). A COLUMN_NORM stands in
 * every block and may have ranges, a COLUMN_ONCE stands outside the blocks. since and default are
 * those of bench/plan/spec.def: a column younger than the first records is left out of the text where it stands at its
 * default, which never changes. */
typedef enum {
    COLUMN_NORM,
    COLUMN_QK,
    COLUMN_ONCE,
    COLUMN_RULE,
    COLUMN_FIXED /* a rule that learns nothing */
} ColumnKind;
// clang-format off
#define VARIANT_COLUMNS(C) \
    C("attn.in", attn.in, COLUMN_NORM, 1, "none") C("attn.qk", attn.qk, COLUMN_QK, 1, "none") \
    C("attn.mid", attn.mid, COLUMN_NORM, 1, "none") C("attn.out", attn.out, COLUMN_NORM, 1, "none") \
    C("attn.post", attn.post, COLUMN_NORM, 1, "none") C("mlp.in", mlp.in, COLUMN_NORM, 1, "none") \
    C("mlp.mid", mlp.mid, COLUMN_NORM, 1, "none") C("mlp.out", mlp.out, COLUMN_NORM, 1, "none") \
    C("mlp.post", mlp.post, COLUMN_NORM, 1, "none") C("embed", embed, COLUMN_ONCE, 1, "none") \
    C("final", final, COLUMN_ONCE, 1, "none") C("carry", carry, COLUMN_RULE, 1, "1") \
    C("gate", gate, COLUMN_RULE, 1, "1") C("depth_scale", depth_scale, COLUMN_FIXED, 1, "1")
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

static int variant_spans(const Variant *v) {
    int n = 0;
    while (n < VARIANT_MOST_SPANS && v->span[n].column) n++;
    return n;
}

Site variant_site(const Variant *v, Sub sub, int layer, int depth) {
    assert(layer >= 0 && layer < depth);
    const Site *row = sub == SUB_ATTN ? &v->attn : &v->mlp;
    size_t at = (size_t)((const char *)row - (const char *)v);
    Site site = *row;
    for (const Span *s = v->span; s < v->span + variant_spans(v); s++)
        if (s->column >= at && s->column < at + sizeof site && range_holds(s->range, layer, depth))
            *(Norm *)((char *)&site + (s->column - at)) = s->norm;
    return site;
}

static const char *key_at(size_t at) {
    for (int i = 0; i < variant_key_count; i++)
        if (columns[i].at == at) return variant_keys[i];
    return "";
}

Rc variant_check(const Variant *v, int depth, Error *e) {
    for (const Span *s = v->span; s < v->span + variant_spans(v); s++)
        if (range_check(s->range, depth, e))
            return error_prefix(e, "%s: %s ", key_at(s->column), norm_info[s->norm].name);
    return RC_OK;
}

int variant_depth(const Variant *v, int least) {
    Error e;
    while (variant_check(v, least, &e)) least++;
    return least;
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
    const char *name, *formula;
    Learns learns;
    double (*value)(double value, int layer, int depth);
} rules[RULE_COUNT] = {
#define RULE(name, learned, value, formula) [RULE_##name] = {#name, formula, LEARNS_##learned, value_##value},
#include "models/rules.def"
#undef RULE
};

double rule_value(Rule rule, int layer, int depth) {
    return rules[rule.kind].value(rule.value, layer, depth);
}

const char *rule_name(RuleKind kind) {
    return rules[kind].name;
}

const char *rule_formula(Rule rule) {
    return rules[rule.kind].formula;
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

static bool is_rule(int column) {
    return columns[column].kind == COLUMN_RULE || columns[column].kind == COLUMN_FIXED;
}

void variant_valid(const char *key, Text *out) {
    int column = column_of(key);
    ColumnKind kind = columns[column].kind;
    const char *comma = "";
    for (int i = 0; !is_rule(column) && i < NORM_COUNT; i++) {
        if (kind == COLUMN_QK && !norm_on_qk((Norm)i)) continue;
        text_format(out, "%s%s", comma, norm_info[i].name);
        comma = ", ";
    }
    if (!is_rule(column)) return;
    text_format(out, "a number, or ");
    for (int i = 0; i < RULE_COUNT; i++) {
        if (kind == COLUMN_FIXED && rules[i].learns != LEARNS_fixed) continue;
        text_format(out, "%s%s", comma, rules[i].name);
        comma = ", ";
    }
    text_format(out, " and a number ('%s')", kind == COLUMN_FIXED ? "layer_root 1" : "learned 0");
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

/* The norm that `value` names, for a column of this kind. */
static Rc find_norm(Norm *norm, ColumnKind kind, const char *key, const char *value, Error *e) {
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

/* Takes the column's spans away. */
static void clear_spans(Variant *v, size_t column) {
    int kept = 0, spans = variant_spans(v);
    for (int i = 0; i < spans; i++)
        if (v->span[i].column != column) v->span[kept++] = v->span[i];
    while (kept < spans) v->span[kept++] = (Span){0};
}

static Rc add_span(Variant *v, Span span, const char *key, Error *e) {
    int mine = 0, spans = variant_spans(v);
    for (int i = 0; i < spans; i++) mine += v->span[i].column == span.column;
    if (mine == VARIANT_MOST_RANGES)
        return error_set(e, RC_USAGE, "%s: more than %d ranges", key, (int)VARIANT_MOST_RANGES);
    if (spans == VARIANT_MOST_SPANS)
        return error_set(e, RC_USAGE, "%s: an arm has at most %d ranges", key, (int)VARIANT_MOST_SPANS);
    v->span[spans] = span;
    return RC_OK;
}

/* "rmsnorm", or "rmsnorm from 2/3": the whole column or some blocks of it. */
static Rc set_part(Variant *v, int column, char *part, Error *e) {
    const char *key = variant_keys[column];
    part = trim(part);
    char *rest = columns[column].kind == COLUMN_ONCE ? NULL : strchr(part, ' ');
    Span span = {.column = columns[column].at};
    if (rest) *rest++ = 0;
    if (find_norm(&span.norm, columns[column].kind, key, part, e)) return e->code;
    if (rest && range_parse(&span.range, rest, e)) return error_prefix(e, "%s: ", key);
    if (!range_whole(span.range)) return add_span(v, span, key, e);
    clear_spans(v, span.column);
    *(Norm *)((char *)v + span.column) = span.norm;
    return RC_OK;
}

static Rc set_norms(Variant *v, int column, const char *value, Error *e) {
    Variant changed = *v;
    char copy[VARIANT_TEXT_SIZE], *part = copy;
    if (strlen(value) >= sizeof copy)
        return error_set(e, RC_USAGE, "%s: '%.40s…' is too long", variant_keys[column], value);
    strcpy(copy, value);
    for (char *end; part; part = end) {
        end = columns[column].kind == COLUMN_ONCE ? NULL : strchr(part, ';');
        if (end) *end++ = 0;
        if (set_part(&changed, column, part, e)) return e->code;
    }
    *v = changed;
    return RC_OK;
}

static Rc set_rule(Rule *rule, ColumnKind kind, const char *key, const char *value, Error *e) {
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
        if (kind == COLUMN_FIXED && rules[i].learns != LEARNS_fixed) {
            error_set(e, RC_USAGE, "%s: '%s' is not possible here", key, word);
            return list_valid(key, e);
        }
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
    if (is_rule(i)) return set_rule(field, columns[i].kind, key, value, e);
    return set_norms(v, i, value, e);
}

bool variant_ranged(const char *key) {
    int i = column_of(key);
    return i >= 0 && (columns[i].kind == COLUMN_NORM || columns[i].kind == COLUMN_QK);
}

bool variant_normed(const char *key) {
    int i = column_of(key);
    return i >= 0 && !is_rule(i);
}

/* The column's spans behind its first `skip`, each with ';' before it unless it is the first of the text. */
static char *get_spans(char *out, const Variant *v, size_t column, int skip) {
    size_t n = strlen(out);
    char range[RANGE_TEXT_SIZE];
    for (const Span *s = v->span; s < v->span + variant_spans(v); s++)
        if (s->column == column && skip-- <= 0)
            n += (size_t)snprintf(out + n, VARIANT_TEXT_SIZE - n, "%s%s %s", n ? "; " : "", norm_info[s->norm].name,
                                  range_text(range, s->range));
    assert(n < VARIANT_TEXT_SIZE);
    return out;
}

char *variant_get(char *out, const Variant *v, const char *key) {
    int i = column_of(key);
    assert(i >= 0);
    const void *field = (const char *)v + columns[i].at;
    if (!is_rule(i)) {
        snprintf(out, VARIANT_TEXT_SIZE, "%s", norm_info[*(const Norm *)field].name);
        return get_spans(out, v, columns[i].at, 0);
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

char *variant_change(char *out, const Variant *v, const Variant *row, const char *key) {
    char mine[VARIANT_TEXT_SIZE], old[VARIANT_TEXT_SIZE];
    int i = column_of(key), shared = 0;
    variant_get(mine, v, key), variant_get(old, row, key);
    size_t n = strlen(old);
    out[0] = 0;
    if (!strcmp(mine, old)) return out;
    if (strncmp(mine, old, n) != 0 || mine[n] != ';') return strcpy(out, mine);
    for (const Span *s = row->span; s < row->span + variant_spans(row); s++) shared += s->column == columns[i].at;
    return get_spans(out, v, columns[i].at, shared);
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
