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

static Parts parts_of(const Variant *v, Site site) {
    Parts p;
    equation_norm(p.in, site.in), equation_norm(p.qk, site.qk), equation_norm(p.mid, site.mid);
    equation_norm(p.out, site.out), equation_norm(p.post, site.post);
    factor(p.carry, v->carry, "c"), factor(p.gate, v->gate, "g"), factor(p.depth_scale, v->depth_scale, "s");
    return p;
}

static bool same_site(Site a, Site b) {
    return a.in == b.in && a.qk == b.qk && a.mid == b.mid && a.out == b.out && a.post == b.post;
}

int equation_stretches(const Variant *v, int depth, Stretch *out, int most) {
    int count = 0;
    Site attn = {0}, mlp = {0};
    for (int layer = 0; layer < depth; layer++) {
        Site a = variant_site(v, SUB_ATTN, layer, depth), m = variant_site(v, SUB_MLP, layer, depth);
        if (!count || !same_site(a, attn) || !same_site(m, mlp)) {
            if (count < most) out[count] = (Stretch){.first = layer, .attn = parts_of(v, a), .mlp = parts_of(v, m)};
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

/* "x <- LN(c x + g RMS(f(s LN(x))))" */
static void sublayer(const Parts *p, const char *f, Text *out) {
    Text branch, sum;
    text_init(&branch), text_init(&sum);
    text_format(&branch, "%s(", f);
    times(&branch, p->depth_scale);
    apply(&branch, p->in, "x");
    text_format(&branch, ")");
    times(&sum, p->carry);
    text_format(&sum, "x + ");
    times(&sum, p->gate);
    apply(&sum, p->out, branch.at);
    text_format(out, "x <- ");
    apply(out, p->post, sum.at);
    text_release(&branch), text_release(&sum);
}

/* An item's beginning: what is between it and the one before, and which blocks and sublayer it is about. */
static void begin(Text *out, const char *between, const char *where, const char *which) {
    if (out->length) text_format(out, "%s", between);
    text_format(out, "%s%s%s%s", where, where[0] && which[0] ? ", " : "", which, where[0] || which[0] ? ": " : "");
}

/* "A(z) = W LN(heads of RMS(q), RMS(k), v)", "F(z) = W LN(act(W' z))": where a norm stands inside f. */
static void inside(const Stretch *s, const char *where, const char *between, Text *out) {
    char qkv[2 * EQUATION_PART + 32];
    snprintf(qkv, sizeof qkv, s->attn.qk[0] ? "%s(q), %s(k), v" : "q, k, v%s%s", s->attn.qk, s->attn.qk);
    if (s->attn.qk[0] || s->attn.mid[0]) {
        begin(out, between, where, "");
        text_format(out, "A(x) = W ");
        text_format(out, s->attn.mid[0] ? "%s(heads(%s))" : "%sheads(%s)", s->attn.mid, qkv);
    }
    if (s->mlp.mid[0]) {
        begin(out, between, where, "");
        text_format(out, "F(x) = W' %s(act(W x))", s->mlp.mid);
    }
}

static void stretch(const Stretch *s, const char *where, const char *between, Text *out) {
    Text attn, mlp;
    text_init(&attn), text_init(&mlp);
    bool within = s->attn.qk[0] || s->attn.mid[0] || s->mlp.mid[0];
    sublayer(&s->attn, "f", &attn), sublayer(&s->mlp, "f", &mlp);
    if (!within && !strcmp(attn.at, mlp.at)) {
        begin(out, between, where, "");
        text_format(out, "%s", attn.at);
    } else {
        begin(out, between, where, "attention");
        sublayer(&s->attn, "A", out);
        begin(out, between, where, "MLP");
        sublayer(&s->mlp, "F", out);
        inside(s, where, between, out);
    }
    text_release(&attn), text_release(&mlp);
}

/* "c = (2L)^(1/4)": the rule's formula up to its ':', with its number in place of "value". */
static void where_rule(Rule rule, const char *letter, const char *between, Text *out) {
    char number[40];
    const char *formula = rule_formula(rule);
    int n = (int)strcspn(formula, ":");
    if (rule.kind == RULE_constant) return;
    begin(out, between, "", "");
    format_real(number, rule.value);
    bool by_block = strstr(formula, "(l)");
    if (rule_width(rule, 1))
        text_format(out, "%s = %.*s, starting at %s", letter, n, formula, number);
    else if (strncmp(formula, "value", 5) != 0)
        text_format(out, "%s = %.*s, value %s", letter, n, formula, number);
    else if (rule.value == 1 && !strncmp(formula, "value (", 7))
        text_format(out, "%s = %.*s", letter, n - 6, formula + 6);
    else
        text_format(out, "%s = %s%.*s", letter, number, n - 5, formula + 5);
    if (by_block) text_format(out, ", l = 1 in block 0");
}

void equation_text(const Variant *v, int depth, const char *between, Text *out) {
    enum { MOST = 64 };
    Stretch s[MOST];
    Text all;
    char norm[EQUATION_PART], where[40] = "";
    int count = equation_stretches(v, depth, s, MOST);
    text_init(&all);
    for (int i = 0; i < count && i < MOST; i++) {
        if (count > 1)
            snprintf(where, sizeof where, s[i].first < s[i].last ? "blocks %d to %d" : "block %d", s[i].first,
                     s[i].last);
        stretch(&s[i], where, between, &all);
    }
    where_rule(v->carry, "c", between, &all);
    where_rule(v->gate, "g", between, &all);
    where_rule(v->depth_scale, "s", between, &all);
    if (v->embed != NORM_none) {
        begin(&all, between, "", "");
        text_format(&all, "%s after the embeddings", equation_norm(norm, v->embed));
    }
    begin(&all, between, "", "");
    text_format(&all, "%s before the head", v->final == NORM_none ? "no norm" : equation_norm(norm, v->final));
    text_format(out, "%s", all.at);
    text_release(&all);
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
