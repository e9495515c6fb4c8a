#include "models/equation.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "models/norm.h"

char *equation_norm(char *out, Norm norm) {
    const NormInfo *info = &norm_info[norm];
    snprintf(out, EQUATION_PART, "%s", norm == NORM_none ? "" : info->alias);
    if (strcmp(info->alias, info->name) != 0)
        for (char *c = out; *c; c++) *c = (char)toupper((unsigned char)*c);
    return out;
}

/* "" of 1, the number of another constant, `letter` of a rule. */
static void factor(char *out, Rule rule, const char *letter) {
    char number[40];
    out[0] = 0;
    if (rule.kind != RULE_constant)
        snprintf(out, EQUATION_PART, "%s", letter);
    else if (rule.value != 1)
        snprintf(out, EQUATION_PART, "%.*s", EQUATION_PART - 1, format_real(number, rule.value));
}

/* "LN", or "LN[i]" of a strength that is not 1. */
static void norm_part(char *out, Norm norm, Rule strength, const char *letter) {
    char name[EQUATION_PART];
    equation_norm(name, norm);
    snprintf(out, EQUATION_PART, name[0] && !rule_is(strength, 1) ? "%.19s[%s]" : "%s%.0s", name, letter);
}

/* What is kept of x: the factor, or of a carry that is the rest 1 less the gate's number or letter. */
static void carry_part(char *out, const Variant *v) {
    char gate[EQUATION_PART - 8], number[40];
    if (rule_learns(v->carry.kind) != LEARNS_rest) {
        factor(out, v->carry, "c");
        return;
    }
    snprintf(gate, sizeof gate, "%.*s", EQUATION_PART - 9,
             v->gate.kind == RULE_constant ? format_real(number, v->gate.value) : "g");
    snprintf(out, EQUATION_PART, "(1 - %s)", gate);
}

/* v: a row as it is at this sublayer. */
static Parts parts_of(const Variant *v, bool mlp) {
    Parts p;
    Site site = mlp ? v->mlp : v->attn;
    norm_part(p.in, site.in, v->in_strength, "i"), norm_part(p.out, site.out, v->out_strength, "o");
    norm_part(p.post, site.post, v->post_strength, "p");
    equation_norm(p.qk, site.qk), equation_norm(p.v, site.v), equation_norm(p.mid, site.mid);
    carry_part(p.carry, v);
    factor(p.gate, v->gate, "g"), factor(p.depth_scale, v->depth_scale, "s");
    factor(p.scale, mlp ? v->hidden_scale : v->head_scale, mlp ? "t" : "h");
    return p;
}

static bool same_rule(Rule a, Rule b) {
    return a.kind == b.kind && a.value == b.value && a.end == b.end;
}

/* Two rows without spans have the same norms and rules in one sublayer. */
static bool same_sublayer(const Variant *v, const Variant *w, bool mlp) {
    Site a = mlp ? v->mlp : v->attn, b = mlp ? w->mlp : w->attn;
    return a.in == b.in && a.qk == b.qk && a.v == b.v && a.mid == b.mid && a.out == b.out && a.post == b.post &&
           same_rule(v->carry, w->carry) && same_rule(v->gate, w->gate) && same_rule(v->depth_scale, w->depth_scale) &&
           same_rule(v->in_strength, w->in_strength) && same_rule(v->out_strength, w->out_strength) &&
           same_rule(v->post_strength, w->post_strength) &&
           same_rule(mlp ? v->hidden_scale : v->head_scale, mlp ? w->hidden_scale : w->head_scale);
}

int equation_stretches(const Variant *v, int depth, Stretch *out, int most) {
    int count = 0;
    Variant attn, mlp;
    for (int layer = 0; layer < depth; layer++) {
        Variant a = variant_at(v, SUB_ATTN, layer, depth), m = variant_at(v, SUB_MLP, layer, depth);
        if (!count || !same_sublayer(&a, &attn, false) || !same_sublayer(&m, &mlp, true)) {
            Stretch new = {.first = layer, .attn = parts_of(&a, false), .mlp = parts_of(&m, true)};
            if (count < most) out[count] = new;
            count++;
        }
        if (count <= most) out[count - 1].last = layer;
        attn = a, mlp = m;
    }
    return count;
}

static void apply(Text *out, const char *norm, const char *inside) {
    text_format(out, norm[0] ? "%s(%s)" : "%s%s", norm, inside);
}

static void times(Text *out, const char *by) {
    text_format(out, "%s%s", by, by[0] ? " " : "");
}

/* The equation of a kind of streams. In it $ is the sublayer's sum with the norm behind it, # what it adds, & that
 * without the gate, ~ the number of the streams but for 1, and @ the norm before the head, of what stands behind it. */
typedef struct {
    const char *reads;    /* what a sublayer reads, where that is not x */
    const char *sublayer; /* what it makes of it */
    const char *more;     /* what its sum is beside, of the MLP alone */
    const char *head;     /* what the head reads, where that is not the norm of x */
} StreamWords;

static const StreamWords words_one = {NULL, "x <- $", "", NULL};
static const StreamWords words_dual = {NULL, "x <- $, r <- r + ~#", "", "x + @r"};
static const StreamWords words_skip = {NULL, "x <- $", " + x_block", NULL};
static const StreamWords words_siamese = {"x + @r", "x <- $, r <- r + &", "", "@(x + @r)"};
static const StreamWords words_hyper = {NULL, "x = m X, X <- M [X; #]", "", NULL};
static const StreamWords words_mhc = {NULL, "x = p X, X <- H X + q #", "", NULL};
static const StreamWords words_attnres = {NULL, "x = sum_i a_i v_i, next v = #", "", NULL};
static const StreamWords words_attnres_block = {NULL, "x = sum_i a_i v_i, v <- v + #", "", NULL};

/* A kind that choices.def names and this file does not know is no program. */
#define WORDS_streams(name) [CHOICE_streams_##name] = &words_##name,
#define WORDS_qk_over(name)
#define WORDS_init(name)
#define WORDS_after_step(name)
static const StreamWords *const stream_words[CHOICE_COUNT] = {
#define CHOICE(column, name, ...) WORDS_##column(name)
#include "models/choices.def"
#undef CHOICE
};

/* "@r": LN(r), or r where no norm stands before the head; "@(x + r)". */
static void final_of(const Variant *v, const char **at, Text *out) {
    char norm[EQUATION_PART];
    bool inside = (*at)[1] == '(';
    equation_norm(norm, v->final);
    text_format(out, inside ? "%s" : norm[0] ? "%s(%c)" : "%s%c", norm, (*at)[1]);
    if (!inside) ++*at;
}

static void streamed(const Variant *v, const char *words, const char *sum, const char *branch, const char *plain,
                     Text *out) {
    char number[40];
    for (const char *at = words; *at; at++) {
        if (*at == '$' || *at == '#' || *at == '&')
            text_format(out, "%s", *at == '$' ? sum : *at == '#' ? branch : plain);
        else if (*at == '~' && v->streams.value != 1)
            text_format(out, "%s ", format_real(number, v->streams.value));
        else if (*at == '@')
            final_of(v, &at, out);
        else if (*at != '~')
            text_add(out, at, 1);
    }
}

/* "x <- LN(c x + g RMS(f(s LN(x))))" */
static void sublayer(const Variant *v, const Parts *p, const char *f, Text *out) {
    const StreamWords *w = stream_words[v->streams.kind];
    LOCAL_TEXT(reads);
    LOCAL_TEXT(inside);
    LOCAL_TEXT(plain);
    LOCAL_TEXT(branch);
    LOCAL_TEXT(sum);
    LOCAL_TEXT(all);
    streamed(v, w->reads ? w->reads : "x", "", "", "", &reads);
    text_format(&inside, "%s(", f);
    times(&inside, p->depth_scale);
    apply(&inside, p->in, reads.at);
    text_format(&inside, ")");
    apply(&plain, p->out, inside.at);
    times(&branch, p->gate);
    text_format(&branch, "%s", plain.at);
    times(&sum, p->carry);
    text_format(&sum, "x + %s%s", branch.at, f[0] == 'F' ? w->more : "");
    apply(&all, p->post, sum.at);
    streamed(v, w->sublayer, all.at, branch.at, plain.at, out);
}

/* An item's beginning: what is between it and the one before, and which blocks and sublayer it is about. */
static void begin(Text *out, const char *between, const char *where, const char *which) {
    if (out->length) text_format(out, "%s", between);
    text_format(out, "%s%s%s%s", where, where[0] && which[0] ? ", " : "", which, where[0] || which[0] ? ": " : "");
}

/* "A(z) = W LN(heads of RMS(q), RMS(k), v)", "F(z) = W LN(act(W' z))": where a norm or a scale stands inside f. */
static void inside(const Variant *v, const Stretch *s, const char *where, const char *between, Text *out) {
    char heads[4 * EQUATION_PART + 64], q[EQUATION_PART + 4], k[EQUATION_PART + 4], value[EQUATION_PART + 4];
    const char *scale = s->attn.scale;
    snprintf(q, sizeof q, s->attn.qk[0] ? "%s(q)" : "q%s", s->attn.qk);
    snprintf(k, sizeof k, s->attn.qk[0] ? "%s(k)" : "k%s", s->attn.qk);
    snprintf(value, sizeof value, s->attn.v[0] ? "%s(v)" : "v%s", s->attn.v);
    snprintf(heads, sizeof heads, "%s%sheads(%s, %s, %s)", scale, scale[0] ? " " : "", q, k, value);
    if (s->attn.qk[0] || s->attn.v[0] || s->attn.mid[0] || scale[0]) {
        begin(out, between, where, "");
        text_format(out, "A(x) = W ");
        text_format(out, s->attn.mid[0] ? "%s(%s)" : "%s%s", s->attn.mid, heads);
        if (s->attn.qk[0] && v->qk_over.kind == CHOICE_qk_over_width)
            text_format(out, ", %s over all heads", s->attn.qk);
    }
    scale = s->mlp.scale;
    if (s->mlp.mid[0] || scale[0]) {
        begin(out, between, where, "");
        text_format(out, s->mlp.mid[0] ? "F(x) = W' %s(act(" : "F(x) = W' %sact(", s->mlp.mid);
        times(out, scale);
        text_format(out, s->mlp.mid[0] ? "W x))" : "W x)");
    }
}

static void stretch(const Variant *v, const Stretch *s, const char *where, const char *between, Text *out) {
    LOCAL_TEXT(attn);
    LOCAL_TEXT(mlp);
    LOCAL_TEXT(within);
    inside(v, s, where, between, &within);
    sublayer(v, &s->attn, "f", &attn), sublayer(v, &s->mlp, "f", &mlp);
    if (!within.length && !strcmp(attn.at, mlp.at) && !stream_words[v->streams.kind]->more[0]) {
        begin(out, between, where, "");
        text_format(out, "%s", attn.at);
    } else {
        begin(out, between, where, "attention");
        sublayer(v, &s->attn, "A", out);
        begin(out, between, where, "MLP");
        sublayer(v, &s->mlp, "F", out);
        inside(v, s, where, between, out);
    }
}

/* formula[0..n) with `value` and `end` replaced by the rule's numbers, a leading "value " left out where it is 1. */
static void substituted(Rule rule, const char *formula, int n, Text *out) {
    char value[40], end[40];
    format_real(value, rule.value), format_real(end, rule.end);
    bool first = !strncmp(formula, "value ", 6) && formula[6] != '/' && rule.value == 1;
    for (int i = first ? 6 : 0; i < n;) {
        bool word = !i || formula[i - 1] == ' ';
        bool is_value = word && !strncmp(formula + i, "value", 5), is_end = word && !strncmp(formula + i, "end ", 4);
        if (is_value || is_end)
            text_format(out, "%s", is_value ? value : end);
        else
            text_add(out, formula + i, 1);
        i += is_value ? 5 : is_end ? 3 : 1;
    }
}

/* Where an item is: blocks and one of their sublayers, or "" of all; and what is between it and the one before. */
typedef struct {
    const char *blocks, *sublayer, *between;
} Place;

/* "c = (2L)^(1/4)": the rule's formula up to its ':', with its numbers; " per sublayer" in it becomes `per`, "" of a
 * letter outside the blocks, which stands where the first block does. */
static void rule_per(Rule rule, const char *letter, const char *per, Place at, Text *out) {
    char number[40];
    const char *formula = rule_formula(rule);
    int n = (int)strcspn(formula, ":");
    if (rule.kind == RULE_constant || rule_learns(rule.kind) == LEARNS_rest) return;
    begin(out, at.between, at.blocks, at.sublayer);
    text_format(out, strncmp(formula, "from ", 5) ? "%s = " : "%s goes ", letter);
    const char *sublayer = strstr(formula, " per sublayer");
    int before = sublayer && sublayer < formula + n ? (int)(sublayer - formula) : n;
    substituted(rule, formula, before, out);
    if (before < n) {
        text_format(out, "%s", per);
        substituted(rule, sublayer + 13, n - before - 13, out);
    }
    bool told = strstr(formula, "start") || strstr(formula, "first") || strstr(formula, "value");
    if (rule_width(rule, 1) && !told) text_format(out, ", starting at %s", format_real(number, rule.value));
    if (strstr(formula, "(l)")) text_format(out, ", l = 1%s", per[0] ? " in block 0" : "");
    if (strstr(formula, " in the last") && !per[0]) text_format(out, "; here the first");
}

static const Rule *rule_in(const Variant *v, size_t column) {
    return (const Rule *)(const void *)((const char *)v + column);
}

static Rule rule_at(const Variant *v, size_t column, Sub sub, int layer, int depth) {
    Variant here = variant_at(v, sub, layer, depth);
    return *rule_in(&here, column);
}

/* The end of the blocks behind `from` that have its rule in this sublayer. */
static int run_of(const Variant *v, size_t column, Sub sub, int from, int depth) {
    Rule rule = rule_at(v, column, sub, from, depth);
    int end = from + 1;
    while (end < depth && same_rule(rule, rule_at(v, column, sub, end, depth))) end++;
    return end;
}

enum { WHERE_SIZE = 40 };
static const char *blocks_text(char out[WHERE_SIZE], int first, int end, int depth) {
    out[0] = 0;
    if (end - first < depth)
        snprintf(out, WHERE_SIZE, end - first > 1 ? "blocks %d to %d" : "block %d", first, end - 1);
    return out;
}

/* What `say` says of a column's rule wherever it is another one, of the sublayers apart where they differ. */
static void each_rule(const Variant *v, int depth, size_t column, const char *between, const char *letter,
                      void (*say)(Rule, const char *letter, Place, Text *), Text *out) {
    char where[WHERE_SIZE];
    bool apart = false;
    for (int layer = 0; layer < depth; layer++)
        apart |= !same_rule(rule_at(v, column, SUB_ATTN, layer, depth), rule_at(v, column, SUB_MLP, layer, depth));
    for (Sub sub = SUB_ATTN; sub <= (apart ? SUB_MLP : SUB_ATTN); sub++)
        for (int first = 0, end; first < depth; first = end) {
            end = run_of(v, column, sub, first, depth);
            const char *name = !apart ? "" : sub == SUB_MLP ? "MLP" : "attention";
            Place at = {blocks_text(where, first, end, depth), name, between};
            say(rule_at(v, column, sub, first, depth), letter, at, out);
        }
}

static void say_rule(Rule rule, const char *letter, Place at, Text *out) {
    rule_per(rule, letter, " per sublayer", at, out);
}

static void say_strength(Rule rule, const char *letter, Place at, Text *out) {
    char number[40];
    if (rule.kind != RULE_constant) {
        say_rule(rule, letter, at, out);
    } else if (rule.value != 1) {
        begin(out, at.between, at.blocks, at.sublayer);
        text_format(out, "%s = %s", letter, format_real(number, rule.value));
    }
}

static void strength(const Variant *v, int depth, size_t column, const char *letter, const char *between, Text *out) {
    char number[40];
    LOCAL_TEXT(said);
    each_rule(v, depth, column, between, letter, say_strength, &said);
    Rule rule = rule_at(v, column, SUB_ATTN, 0, depth);
    bool everywhere = !strstr(said.at, ": ");
    if (said.length) {
        begin(out, between, "", "");
        text_format(out, "N[%s](x) = %s N(x) + (1 - %s) x", letter, letter, letter);
        if (everywhere && rule.kind == RULE_constant)
            text_format(out, ", %s = %s", letter, format_real(number, rule.value));
        else
            text_format(out, "%s%s", between, said.at);
    }
}

/* Of a column that stands outside the sublayers: what it does, then its rule, of each block or of all (""). */
static void outside(Rule rule, double none, const char *format, const char *letter, const char *per, Place at,
                    Text *out) {
    char number[40];
    if (rule_is(rule, none)) return;
    begin(out, at.between, at.blocks, "");
    const char *by = rule.kind == RULE_constant ? format_real(number, rule.value) : letter;
    for (const char *c = format; *c; c++) {
        if (*c == '#')
            text_format(out, "%s", by);
        else
            text_add(out, c, 1);
    }
    rule_per(rule, letter, per, at, out);
}

/* What a choice that is not its column's first does. */
static void chosen(const char *what, Choice choice, ChoiceKind usual, const char *between, Text *out) {
    const char *formula = choice_formula(choice.kind);
    Rule number = {RULE_constant, choice.value, 0};
    if (choice.kind == usual) return;
    begin(out, between, what, "");
    substituted(number, formula, (int)strcspn(formula, ":"), out);
}

/* What is before and behind each block, of a row as it is there. */
static void around_block(const Variant *v, Place at, Text *out) {
    if (!rule_is(v->x0, 0)) {
        char carry[EQUATION_PART], first[EQUATION_PART];
        factor(carry, v->block_carry, "e"), factor(first, v->x0, "y");
        begin(out, at.between, at.blocks, "");
        text_format(out, "before each block: x <- ");
        times(out, carry);
        text_format(out, "x + ");
        times(out, first);
        text_format(out, "x_0");
        rule_per(v->block_carry, "e", " per block", at, out), rule_per(v->x0, "y", " per block", at, out);
    } else {
        outside(v->block_carry, 1, "before each block: x <- # x", "e", " per block", at, out);
    }
    outside(v->shrink, 0, "after each block: x <- x - silu(#) stop_gradient(x)", "k", " per block", at, out);
}

static void around_blocks(const Variant *v, int depth, const char *between, Text *out) {
    static const size_t columns[] = {COLUMN(block_carry), COLUMN(x0), COLUMN(shrink)};
    char where[WHERE_SIZE];
    for (int first = 0, end; first < depth; first = end) {
        end = depth;
        for (int i = 0; i < 3; i++) {
            int own = run_of(v, columns[i], SUB_ATTN, first, depth);
            end = own < end ? own : end;
        }
        Variant here = variant_at(v, SUB_ATTN, first, depth);
        around_block(&here, (Place){blocks_text(where, first, end, depth), "", between}, out);
    }
    const Place all = {"", "", between};
    outside(v->embed_scale, 1, "embeddings times #", "m", "", all, out);
    outside(v->logit_scale, 1, "logits times #", "z", "", all, out);
    outside(v->logit_cap, 0, "logits x become # tanh(x / #)", "b", "", all, out);
}

void equation_text(const Variant *v, int depth, const char *between, Text *out) {
    enum { MOST = 64 };
    Stretch s[MOST];
    LOCAL_TEXT(all);
    char norm[EQUATION_PART], where[WHERE_SIZE];
    int count = equation_stretches(v, depth, s, MOST);
    for (int i = 0; i < count && i < MOST; i++)
        stretch(v, &s[i], blocks_text(where, s[i].first, s[i].last + 1, depth), between, &all);
    static const struct {
        size_t column;
        const char *letter;
        bool strength;
    } rules[] = {{COLUMN(carry), "c", false},       {COLUMN(gate), "g", false},
                 {COLUMN(depth_scale), "s", false}, {COLUMN(in_strength), "i", true},
                 {COLUMN(out_strength), "o", true}, {COLUMN(post_strength), "p", true},
                 {COLUMN(head_scale), "h", false},  {COLUMN(hidden_scale), "t", false}};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        if (rules[i].strength)
            strength(v, depth, rules[i].column, rules[i].letter, between, &all);
        else
            each_rule(v, depth, rules[i].column, between, rules[i].letter, say_rule, &all);
    }
    around_blocks(v, depth, between, &all);
    chosen("streams", v->streams, CHOICE_streams_one, between, &all);
    chosen("start", v->init, CHOICE_init_recipe, between, &all);
    chosen("updates", v->after_step, CHOICE_after_step_none, between, &all);
    if (v->embed != NORM_none) {
        begin(&all, between, "", "");
        text_format(&all, "%s after the embeddings", equation_norm(norm, v->embed));
    }
    begin(&all, between, "", "");
    equation_norm(norm, v->final);
    if (stream_words[v->streams.kind]->head)
        streamed(v, stream_words[v->streams.kind]->head, "", "", "", &all);
    else
        text_format(&all, norm[0] ? "%s" : "no norm%s", norm);
    text_format(&all, " before the head");
    text_format(out, "%s", all.at);
}

void equation_changes(const Variant *v, const Variant *base, Text *out) {
    char old[VARIANT_TEXT_SIZE], changed[VARIANT_TEXT_SIZE];
    const char *between = "";
    for (int i = 0; i < variant_key_count; i++) {
        const char *key = variant_keys[i];
        if (!variant_change(changed, v, base, key)[0]) continue;
        text_format(out, "%s%s %s -> %s", between, key, variant_get(old, base, key), changed);
        between = ", ";
    }
}

const Variant *equation_base(const Variant *v) {
    char changed[VARIANT_TEXT_SIZE];
    const Variant *nearest = variants;
    int least = variant_key_count + 1;
    for (const Variant *row = variants; row < variants + variant_count; row++) {
        int changes = 0;
        if (!strcmp(v->name, row->name)) return row;
        for (int i = 0; i < variant_key_count; i++) changes += variant_change(changed, v, row, variant_keys[i])[0] != 0;
        if (changes < least) least = changes, nearest = row;
    }
    return nearest;
}
