#include "models/variant.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/names.h"
#include "models/norm.h"

/* The columns that are read, written and hashed by name: C(key, field, kind, rules, since, default). Those of the
 * blocks, norms and rules, may have ranges, those called ONCE stand outside the blocks; `rules` are what a rule there
 * may learn. A rule of one sublayer (ATTN, MLP) has no field of its own: it is spans of the column that is its default.
 * since and default are those of bench/plan/spec.def: a column younger than the first records is left out of the text
 * where it stands at its default, which never changes. */
typedef enum {
    COLUMN_NORM,
    COLUMN_QK,
    COLUMN_V,
    COLUMN_ONCE,
    COLUMN_RULE,
    COLUMN_ATTN,
    COLUMN_MLP,
    COLUMN_RULE_ONCE,
    COLUMN_CHOICE
} ColumnKind;
enum {
    FIXED = 1 << LEARNS_fixed,
    NUMBER = FIXED | 1 << LEARNS_number,
    LEARNED = NUMBER | 1 << LEARNS_row,
    MOVING = FIXED | 1 << LEARNS_moving,
    GATE = LEARNED | MOVING | 1 << LEARNS_block,
    CARRY = GATE | 1 << LEARNS_rest | 1 << LEARNS_profiled,
    BLOCK = 1 << LEARNS_block /* both sublayers learn it */
};
// clang-format off
#define VARIANT_COLUMNS(C) \
    C("attn.in", attn.in, COLUMN_NORM, 0, 1, "none") C("attn.qk", attn.qk, COLUMN_QK, 0, 1, "none") \
    C("attn.mid", attn.mid, COLUMN_NORM, 0, 1, "none") C("attn.out", attn.out, COLUMN_NORM, 0, 1, "none") \
    C("attn.post", attn.post, COLUMN_NORM, 0, 1, "none") C("mlp.in", mlp.in, COLUMN_NORM, 0, 1, "none") \
    C("mlp.mid", mlp.mid, COLUMN_NORM, 0, 1, "none") C("mlp.out", mlp.out, COLUMN_NORM, 0, 1, "none") \
    C("mlp.post", mlp.post, COLUMN_NORM, 0, 1, "none") C("embed", embed, COLUMN_ONCE, 0, 1, "none") \
    C("final", final, COLUMN_ONCE, 0, 1, "none") C("carry", carry, COLUMN_RULE, CARRY, 1, "1") \
    C("gate", gate, COLUMN_RULE, GATE, 1, "1") C("depth_scale", depth_scale, COLUMN_RULE, FIXED, 1, "1") \
    C("attn.v", attn.v, COLUMN_V, 0, 4, "none") C("attn.qk_over", qk_over, COLUMN_CHOICE, 0, 4, "head") \
    C("in_strength", in_strength, COLUMN_RULE, MOVING, 4, "1") \
    C("out_strength", out_strength, COLUMN_RULE, MOVING, 4, "1") \
    C("post_strength", post_strength, COLUMN_RULE, MOVING, 4, "1") \
    C("head_scale", head_scale, COLUMN_RULE, LEARNED, 4, "1") \
    C("hidden_scale", hidden_scale, COLUMN_RULE, LEARNED, 4, "1") \
    C("block_carry", block_carry, COLUMN_RULE, LEARNED | MOVING, 4, "1") \
    C("x0", x0, COLUMN_RULE, LEARNED | MOVING, 4, "0") C("shrink", shrink, COLUMN_RULE, NUMBER, 4, "0") \
    C("embed_scale", embed_scale, COLUMN_RULE_ONCE, NUMBER, 4, "1") \
    C("logit_scale", logit_scale, COLUMN_RULE_ONCE, LEARNED, 4, "1") \
    C("logit_cap", logit_cap, COLUMN_RULE_ONCE, FIXED, 4, "0") \
    C("streams", streams, COLUMN_CHOICE, 0, 4, "one") C("init", init, COLUMN_CHOICE, 0, 4, "recipe") \
    C("after_step", after_step, COLUMN_CHOICE, 0, 4, "none") \
    C("attn.carry", carry, COLUMN_ATTN, CARRY & ~BLOCK, 7, "carry") \
    C("mlp.carry", carry, COLUMN_MLP, CARRY & ~BLOCK, 7, "carry") \
    C("attn.gate", gate, COLUMN_ATTN, GATE & ~BLOCK, 7, "gate") \
    C("mlp.gate", gate, COLUMN_MLP, GATE & ~BLOCK, 7, "gate") \
    C("attn.depth_scale", depth_scale, COLUMN_ATTN, FIXED, 7, "depth_scale") \
    C("mlp.depth_scale", depth_scale, COLUMN_MLP, FIXED, 7, "depth_scale") \
    C("attn.in_strength", in_strength, COLUMN_ATTN, MOVING, 7, "in_strength") \
    C("mlp.in_strength", in_strength, COLUMN_MLP, MOVING, 7, "in_strength") \
    C("attn.out_strength", out_strength, COLUMN_ATTN, MOVING, 7, "out_strength") \
    C("mlp.out_strength", out_strength, COLUMN_MLP, MOVING, 7, "out_strength") \
    C("attn.post_strength", post_strength, COLUMN_ATTN, MOVING, 7, "post_strength") \
    C("mlp.post_strength", post_strength, COLUMN_MLP, MOVING, 7, "post_strength")
// clang-format on

static const struct {
    size_t at;
    ColumnKind kind;
    unsigned rules;
    int since;
    const char *initial;
} columns[] = {
#define C(key, field, kind, rules, since, initial) {offsetof(Variant, field), kind, rules, since, initial},
    VARIANT_COLUMNS(C)
#undef C
};
const char *const variant_keys[] = {
#define C(key, field, kind, rules, since, initial) key,
    VARIANT_COLUMNS(C)
#undef C
};
const int variant_key_count = sizeof variant_keys / sizeof variant_keys[0];

static int variant_spans(const Variant *v) {
    int n = 0;
    while (n < VARIANT_SPANS_MAX && v->span[n].column) n++;
    return n;
}

static bool is_norm(int column) {
    return columns[column].kind < COLUMN_RULE;
}

/* A rule that is inside the blocks. */
static bool is_inner_rule(int column) {
    return columns[column].kind >= COLUMN_RULE && columns[column].kind <= COLUMN_MLP;
}

static SpanSub sub_of(int column) {
    return columns[column].kind == COLUMN_ATTN ? SPAN_ATTN : columns[column].kind == COLUMN_MLP ? SPAN_MLP : SPAN_BLOCK;
}

static int column_at(size_t at, SpanSub sub) {
    for (int i = 0; i < variant_key_count; i++)
        if (columns[i].at == at && sub_of(i) == sub) return i;
    return -1;
}

static bool span_of(const Span *s, int column) {
    return s->column == columns[column].at && s->sub == sub_of(column);
}

/* A sublayer's own spans win over those of the block. */
Variant variant_at(const Variant *v, Sub sub, int layer, int depth) {
    assert(layer >= 0 && layer < depth);
    Variant here = *v;
    SpanSub own = sub == SUB_MLP ? SPAN_MLP : SPAN_ATTN;
    int spans = variant_spans(v);
    memset(here.span, 0, sizeof here.span);
    for (int pass = 0; pass < 2; pass++)
        for (const Span *s = v->span; s < v->span + spans; s++) {
            void *field = (char *)&here + s->column;
            if (s->sub != (pass ? own : SPAN_BLOCK) || !range_holds(s->range, layer, depth)) continue;
            if (is_norm(column_at(s->column, s->sub)))
                *(Norm *)field = s->norm;
            else
                *(Rule *)field = s->rule;
        }
    return here;
}

Site variant_site(const Variant *v, Sub sub, int layer, int depth) {
    Variant here = variant_at(v, sub, layer, depth);
    return sub == SUB_MLP ? here.mlp : here.attn;
}

bool variant_sums(const Variant *v) {
    return !choice_apart(v->streams.kind);
}

static Rc not_summed(const Variant *v, const char *column, Error *e) {
    return error_set(e, RC_USAGE, "%s: not possible with streams: %s, whose sublayers end in no sum x + f", column,
                     choice_name(v->streams.kind));
}

/* Outside the blocks a ramp has its first number alone. */
static Rc check_outside(const Variant *v, Error *e) {
    const Rule outside[] = {v->embed_scale, v->logit_scale, v->logit_cap};
    static const char *const keys[] = {"embed_scale", "logit_scale", "logit_cap"};
    for (int i = 0; i < 3; i++)
        if ((outside[i].kind == RULE_ramp || outside[i].kind == RULE_learned_ramp) &&
            outside[i].value != outside[i].end)
            return error_set(e, RC_USAGE, "%s: %s goes from block to block, and this is outside of them: write %s%g",
                             keys[i], rule_name(outside[i].kind), outside[i].kind == RULE_ramp ? "" : "learned ",
                             outside[i].value);
    return RC_OK;
}

static int column_of(const char *key) {
    for (int i = 0; i < variant_key_count; i++)
        if (!strcmp(key, variant_keys[i])) return i;
    return -1;
}

int variant_rules(const Variant *v, const char *key, Rule out[VARIANT_RULES_MAX]) {
    int i = column_of(key), count = 0, spans = variant_spans(v);
    if (i < 0 || columns[i].kind < COLUMN_RULE || columns[i].kind == COLUMN_CHOICE) return 0;
    if (sub_of(i) == SPAN_BLOCK) out[count++] = *(const Rule *)(const void *)((const char *)v + columns[i].at);
    for (const Span *s = v->span; s < v->span + spans; s++)
        if (span_of(s, i)) out[count++] = s->rule;
    return count;
}

/* Columns that go with no streams whose sublayers end in no sum, but at the default. */
static Rc check_sums(const Variant *v, Error *e) {
    static const struct {
        const char *key;
        double value;
    } rules[] = {{"carry", 1}, {"attn.carry", 1}, {"mlp.carry", 1}, {"block_carry", 1}, {"x0", 0}, {"shrink", 0}};
    Rule rule[VARIANT_RULES_MAX];
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        for (int n = variant_rules(v, rules[i].key, rule); n--;)
            if (!rule_is(rule[n], rules[i].value)) return not_summed(v, rules[i].key, e);
    if (v->attn.post != NORM_none) return not_summed(v, "attn.post", e);
    if (v->mlp.post != NORM_none) return not_summed(v, "mlp.post", e);
    for (const Span *s = v->span; s < v->span + variant_spans(v); s++)
        if ((s->column == offsetof(Variant, attn.post) || s->column == offsetof(Variant, mlp.post)) &&
            s->norm != NORM_none)
            return not_summed(v, variant_keys[column_at(s->column, s->sub)], e);
    return RC_OK;
}

/* Two columns that do not go together. */
static Rc check_columns(const Variant *v, Error *e) {
    static const char *const carries[] = {"carry", "attn.carry", "mlp.carry"};
    Rule rule[VARIANT_RULES_MAX];
    if (v->logit_cap.value < 0)
        return error_set(e, RC_USAGE, "logit_cap: it is 0 (none) or above, not %g", v->logit_cap.value);
    if (v->logit_cap.value == 0 && v->logit_cap.kind != RULE_constant)
        return error_set(e, RC_USAGE, "logit_cap: %s of 0 is no cap; write 0", rule_name(v->logit_cap.kind));
    if (check_outside(v, e)) return e->code;
    for (size_t i = 0; i < sizeof carries / sizeof *carries; i++)
        for (int n = variant_rules(v, carries[i], rule); n--;)
            if (rule_numberless(rule[n].kind) && rule[n].value != 1)
                return error_set(e, RC_USAGE, "%s: %s takes no number, and %g stands behind it", carries[i],
                                 rule_name(rule[n].kind), rule[n].value);
    return variant_sums(v) ? RC_OK : check_sums(v, e);
}

/* A span's norm or rule, as text. */
static const char *span_text(char out[RULE_TEXT_SIZE], const Span *s) {
    if (!is_norm(column_at(s->column, s->sub))) return rule_text(out, s->rule);
    return norm_info[s->norm].name;
}

Rc variant_check(const Variant *v, int depth, Error *e) {
    char text[RULE_TEXT_SIZE];
    for (const Span *s = v->span; s < v->span + variant_spans(v); s++)
        if (range_check(s->range, depth, e))
            return error_prefix(e, "%s: %s ", variant_keys[column_at(s->column, s->sub)], span_text(text, s));
    return check_columns(v, e);
}

static bool spans_hold(const Variant *v, int depth) {
    Error e;
    for (const Span *s = v->span; s < v->span + variant_spans(v); s++)
        if (range_check(s->range, depth, &e)) return false;
    return true;
}

int variant_depth(const Variant *v, int least) {
    while (!spans_hold(v, least)) least++;
    return least;
}

const Variant *variant_find(const char *name, Error *e) {
    int i = name_find(NAMES(variants, variant_count), name);
    if (i >= 0) return &variants[i];
    error_set(e, RC_USAGE, "unknown variant '%.80s'", name);
    name_unknown(e, name, NAMES(variants, variant_count), "there are");
    return NULL;
}

/* Whether a norm may stand in a column of this kind. */
static bool norm_fits(ColumnKind kind, Norm norm) {
    return (kind != COLUMN_QK || norm_on_qk(norm)) && (kind != COLUMN_V || norm_on_v(norm));
}

void variant_valid(const char *key, Text *out) {
    int column = column_of(key);
    const char *comma = "";
    if (columns[column].rules) rule_valid(columns[column].rules, out);
    if (columns[column].kind == COLUMN_CHOICE) choice_valid(key, out);
    for (int i = 0; is_norm(column) && i < NORM_COUNT; i++) {
        if (!norm_fits(columns[column].kind, (Norm)i)) continue;
        text_format(out, "%s%s", comma, norm_info[i].name);
        comma = ", ";
    }
}

/* Behind what is wrong with a value: all that it may be. */
static Rc list_valid(const char *key, Error *e) {
    LOCAL_TEXT(valid);
    variant_valid(key, &valid);
    error_valid(e, valid.at);
    return e->code;
}

/* The norm that `value` names, for a column of this kind. */
static Rc find_norm(Norm *norm, ColumnKind kind, const char *key, const char *value, Error *e) {
    const char *names[NORM_COUNT];
    for (int i = 0; i < NORM_COUNT; i++) {
        names[i] = norm_info[i].name;
        if (strcmp(value, norm_info[i].name) && strcmp(value, norm_info[i].alias)) continue;
        if (!norm_fits(kind, (Norm)i)) {
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
static void clear_spans(Variant *v, int column) {
    int kept = 0, spans = variant_spans(v);
    for (int i = 0; i < spans; i++)
        if (!span_of(&v->span[i], column)) v->span[kept++] = v->span[i];
    while (kept < spans) v->span[kept++] = (Span){0};
}

static Rc add_span(Variant *v, Span span, int column, Error *e) {
    int mine = 0, spans = variant_spans(v);
    for (int i = 0; i < spans; i++) mine += span_of(&v->span[i], column) && !range_whole(v->span[i].range);
    if (mine == VARIANT_RANGES_MAX)
        return error_set(e, RC_USAGE, "%s: more than %d ranges", variant_keys[column], (int)VARIANT_RANGES_MAX);
    if (spans == VARIANT_SPANS_MAX)
        return error_set(e, RC_USAGE, "%s: an arm has at most %d ranges", variant_keys[column], (int)VARIANT_SPANS_MAX);
    v->span[spans] = span;
    return RC_OK;
}

/* The words of a range behind a value: of a norm all but the first word, of a rule " from …" or " to …"; NULL: none. */
static char *range_words(char *part, int column) {
    if (columns[column].kind == COLUMN_ONCE) return NULL;
    if (is_norm(column)) return strchr(part, ' ');
    char *from = strstr(part, " from "), *to = strstr(part, " to ");
    return from && (!to || from < to) ? from : to;
}

/* "rmsnorm", or "rmsnorm from 2/3": the whole column or some blocks of it. */
static Rc set_part(Variant *v, int column, char *part, Error *e) {
    const char *key = variant_keys[column];
    part = trim(part);
    char *rest = range_words(part, column);
    Span span = {.column = columns[column].at, .sub = sub_of(column)};
    if (rest) *rest++ = 0;
    bool nothing = span.sub != SPAN_BLOCK && !rest && !strcmp(part, columns[column].initial);
    if (nothing) return clear_spans(v, column), RC_OK;
    if (is_norm(column) ? find_norm(&span.norm, columns[column].kind, key, part, e)
                        : rule_parse(&span.rule, columns[column].rules, key, trim(part), e))
        return e->code;
    if (rest && range_parse(&span.range, rest, e)) return error_prefix(e, "%s: ", key);
    if (!range_whole(span.range)) return add_span(v, span, column, e);
    clear_spans(v, column);
    if (span.sub != SPAN_BLOCK) return add_span(v, span, column, e);
    if (is_norm(column))
        *(Norm *)((char *)v + span.column) = span.norm;
    else
        *(Rule *)((char *)v + span.column) = span.rule;
    return RC_OK;
}

static Rc set_parts(Variant *v, int column, const char *value, Error *e) {
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

Rc variant_set(Variant *v, const char *key, const char *value, Error *e) {
    int i = column_of(key);
    char hint[96];
    if (i < 0)
        return error_set(e, RC_USAGE, "unknown key '%s'%s", key,
                         did_you_mean(hint, sizeof hint, key, variant_keys, (size_t)variant_key_count));
    void *field = (char *)v + columns[i].at;
    if (columns[i].kind == COLUMN_RULE_ONCE) return rule_parse(field, columns[i].rules, key, value, e);
    if (columns[i].kind == COLUMN_CHOICE) return choice_parse(field, key, value, e);
    return set_parts(v, i, value, e);
}

void variant_copy(Variant *v, const char *key, const Variant *from) {
    int i = column_of(key);
    size_t size = is_norm(i) ? sizeof(Norm) : columns[i].kind == COLUMN_CHOICE ? sizeof(Choice) : sizeof(Rule);
    clear_spans(v, i);
    if (sub_of(i) == SPAN_BLOCK) memcpy((char *)v + columns[i].at, (const char *)from + columns[i].at, size);
    int spans = variant_spans(v);
    for (const Span *s = from->span; s < from->span + variant_spans(from); s++) {
        assert((spans < VARIANT_SPANS_MAX || !span_of(s, i)) && "one arm's ranges are another's");
        if (span_of(s, i)) v->span[spans++] = *s;
    }
}

bool variant_ranged(const char *key) {
    int i = column_of(key);
    return i >= 0 && (columns[i].kind < COLUMN_ONCE || is_inner_rule(i));
}

bool variant_normed(const char *key) {
    int i = column_of(key);
    return i >= 0 && is_norm(i);
}

bool variant_drawn(const Variant *v) {
    static const struct {
        const char *key;
        double value;
    } usual[] = {{"head_scale", 1},  {"hidden_scale", 1}, {"block_carry", 1}, {"x0", 0},
                 {"embed_scale", 1}, {"logit_scale", 1},  {"shrink", 0},      {"logit_cap", 0}};
    Rule rule[VARIANT_RULES_MAX];
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        for (int n = variant_rules(v, usual[i].key, rule); n--;)
            if (!rule_is(rule[n], usual[i].value)) return false;
    return v->streams.kind == CHOICE_streams_one;
}

/* The column's spans behind its first `skip`, each with ';' before it unless it is the first of the text. */
static char *get_spans(char *out, const Variant *v, int column, int skip) {
    size_t n = strlen(out);
    char text[RULE_TEXT_SIZE], range[RANGE_TEXT_SIZE];
    for (const Span *s = v->span; s < v->span + variant_spans(v); s++) {
        if (!span_of(s, column) || skip-- > 0) continue;
        bool whole = range_whole(s->range);
        if (whole) n = 0;
        n += (size_t)snprintf(out + n, VARIANT_TEXT_SIZE - n, "%s%s%s%s", n ? "; " : "", span_text(text, s),
                              whole ? "" : " ", range_text(range, s->range));
    }
    assert(n < VARIANT_TEXT_SIZE);
    return out;
}

static char *column_text(char *out, const Variant *v, int i) {
    const void *field = (const char *)v + columns[i].at;
    if (columns[i].kind == COLUMN_RULE_ONCE) return rule_text(out, *(const Rule *)field);
    if (columns[i].kind == COLUMN_CHOICE) return choice_text(out, *(const Choice *)field);
    if (sub_of(i) != SPAN_BLOCK)
        snprintf(out, VARIANT_TEXT_SIZE, "%s", columns[i].initial);
    else if (is_norm(i))
        snprintf(out, VARIANT_TEXT_SIZE, "%s", norm_info[*(const Norm *)field].name);
    else
        rule_text(out, *(const Rule *)field);
    return get_spans(out, v, i, 0);
}

char *variant_get(char *out, const Variant *v, const char *key) {
    int i = column_of(key);
    assert(i >= 0);
    return column_text(out, v, i);
}

char *variant_change(char *out, const Variant *v, const Variant *row, const char *key) {
    char mine[VARIANT_TEXT_SIZE], old[VARIANT_TEXT_SIZE];
    int i = column_of(key), shared = 0;
    variant_get(mine, v, key), variant_get(old, row, key);
    size_t n = strlen(old);
    out[0] = 0;
    if (!strcmp(mine, old)) return out;
    if (strncmp(mine, old, n) != 0 || mine[n] != ';') return strcpy(out, mine);
    for (const Span *s = row->span; s < row->span + variant_spans(row); s++) shared += span_of(s, i);
    return get_spans(out, v, i, shared);
}

int variant_since(const char *key) {
    return columns[column_of(key)].since;
}

const char *variant_default(const char *key) {
    return columns[column_of(key)].initial;
}

/* A young column's default is its own canonical text. */
static bool left_out(int i, const char *value) {
    return columns[i].since > 1 && !strcmp(value, columns[i].initial);
}

bool variant_left_out(const char *key, const char *value) {
    return left_out(column_of(key), value);
}

void variant_text(const Variant *v, Text *out) {
    char value[VARIANT_TEXT_SIZE];
    for (int i = 0; i < variant_key_count; i++)
        if (!left_out(i, column_text(value, v, i))) text_pair(out, variant_keys[i], value);
}

bool variant_same(const Variant *a, const Variant *b) {
    char mine[VARIANT_TEXT_SIZE], other[VARIANT_TEXT_SIZE];
    for (int i = 0; i < variant_key_count; i++)
        if (strcmp(column_text(mine, a, i), column_text(other, b, i)) != 0) return false;
    return true;
}
