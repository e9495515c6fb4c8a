#include "models/rule.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double value_one(double value, double end, RulePlace at) {
    (void)value, (void)end, (void)at;
    return 1;
}

static double value_as_given(double value, double end, RulePlace at) {
    (void)end, (void)at;
    return value;
}

static double value_layer_root(double value, double end, RulePlace at) {
    (void)end;
    return value / sqrt(at.layer + 1);
}

static double value_deep_carry(double value, double end, RulePlace at) {
    (void)end;
    if (at.stack == STACK_ENCODER) return value * 0.81 * pow(at.depth, 5 / 16.0); /* (N^4 M)^(1/16), N = M */
    return value * sqrt(sqrt((double)stack_sublayers(at.stack) * at.depth));
}

static double value_sublayers(double value, double end, RulePlace at) {
    (void)end;
    return value * stack_sublayers(at.stack) * at.depth;
}

static double value_width_root(double value, double end, RulePlace at) {
    (void)end;
    return value * sqrt(at.width);
}

static double value_width_root_one(double value, double end, RulePlace at) {
    (void)value;
    return value_width_root(1, end, at);
}

static double value_width_root_inverse(double value, double end, RulePlace at) {
    (void)value, (void)end;
    return 1 / sqrt(at.width);
}

static double value_ramp(double value, double end, RulePlace at) {
    return at.depth > 1 ? value + (end - value) * at.layer / (at.depth - 1) : value;
}

static double value_deep_row(double value, double end, RulePlace at) {
    (void)end;
    return value * (at.depth <= 18 ? 0.1 : at.depth <= 24 ? 1e-5 : 1e-6);
}

static const struct {
    const char *name, *formula;
    Learns learns;
    double (*value)(double value, double end, RulePlace at), (*factor)(double value, double end, RulePlace at);
} rules[RULE_COUNT] = {
#define RULE(name, learned, value, factor, formula) \
    [RULE_##name] = {#name, formula, LEARNS_##learned, value_##value, value_##factor},
#include "models/rules.def"
#undef RULE
};

double rule_value(Rule rule, RulePlace at) {
    return rules[rule.kind].value(rule.value, rule.end, at);
}

double rule_factor(Rule rule, RulePlace at) {
    if (rules[rule.kind].learns == LEARNS_moving) return rule.end;
    return rules[rule.kind].factor(rule.value, rule.end, at);
}

Learns rule_learns(RuleKind kind) {
    return rules[kind].learns;
}

/* it has two numbers */
static bool rule_two(RuleKind kind) {
    return strstr(rules[kind].formula, " end ");
}

bool rule_numberless(RuleKind kind) {
    return rules[kind].learns == LEARNS_rest || rules[kind].learns == LEARNS_profiled;
}

const char *rule_name(RuleKind kind) {
    return rules[kind].name;
}

const char *rule_formula(Rule rule) {
    return rules[rule.kind].formula;
}

int rule_width(Rule rule, int width) {
    switch (rules[rule.kind].learns) {
    case LEARNS_number:
    case LEARNS_block: return 1;
    case LEARNS_row:
    case LEARNS_profiled: return width;
    case LEARNS_fixed:
    case LEARNS_moving:
    case LEARNS_rest: return 0;
    }
    return 0;
}

bool rule_is(Rule rule, double value) {
    return rule.kind == RULE_constant && rule.value == value;
}

static bool possible_here(RuleKind kind, unsigned possible) {
    return possible >> rules[kind].learns & 1;
}

void rule_valid(unsigned possible, Text *out) {
    const char *comma = "";
    text_format(out, "a number, or ");
    for (int i = 0; i < RULE_COUNT; i++) {
        if (!possible_here((RuleKind)i, possible)) continue;
        text_format(out, "%s%s", comma, rules[i].name);
        comma = ", ";
    }
    bool learns = possible >> LEARNS_number & 1;
    text_format(out, " and a number ('%s')", learns ? "learned 0" : "layer_root 1");
}

static Rc list_valid(unsigned possible, Error *e) {
    LOCAL_TEXT(valid);
    rule_valid(possible, &valid);
    error_valid(e, valid.at);
    return e->code;
}

/* The numbers behind a rule's name. */
static Rc numbers(Rule *rule, const char *key, const char *rest, Error *e) {
    char first[40], second[40], more[2];
    int count = sscanf(rest, "%39s %39s %1s", first, second, more), wanted = rule_two(rule->kind) ? 2 : 1;
    const char *word[] = {first, second};
    double *to[] = {&rule->value, &rule->end};
    rule->value = 1, rule->end = 0;
    if (count < 1 && wanted == 1) return RC_OK;
    if (count < wanted || (count > wanted && wanted == 2))
        return error_set(e, RC_USAGE, "%s: '%s' takes two numbers, such as '%s 0 1'", key, rule_name(rule->kind),
                         rule_name(rule->kind));
    if (count > wanted) return error_set(e, RC_USAGE, "%s: '%s' is not a number", key, rest);
    for (int i = 0; i < wanted; i++)
        if (!parse_real(word[i], to[i])) return error_set(e, RC_USAGE, "%s: '%s' is not a number", key, word[i]);
    return RC_OK;
}

Rc rule_parse(Rule *rule, unsigned possible, const char *key, const char *value, Error *e) {
    const char *names[RULE_COUNT];
    double number;
    size_t count = 0;
    if (parse_real(value, &number)) {
        *rule = (Rule){RULE_constant, number, 0};
        return RC_OK;
    }
    char word[32];
    size_t n = strcspn(value, " ");
    snprintf(word, sizeof word, "%.*s", (int)(n < sizeof word ? n : sizeof word - 1), value);
    for (int i = 0; i < RULE_COUNT; i++) {
        if (possible_here((RuleKind)i, possible)) names[count++] = rules[i].name;
        if (strcmp(word, rules[i].name)) continue;
        if (!possible_here((RuleKind)i, possible)) {
            error_set(e, RC_USAGE, "%s: '%s' is not possible here", key, word);
            return list_valid(possible, e);
        }
        Rule read = {.kind = (RuleKind)i};
        Rc rc = numbers(&read, key, value + n, e);
        if (!rc) *rule = read;
        return rc;
    }
    char hint[96];
    error_set(e, RC_USAGE, "%s: '%.80s' is neither a number nor a rule%s", key, value,
              did_you_mean(hint, sizeof hint, word, names, count));
    return list_valid(possible, e);
}

char *rule_text(char *out, Rule rule) {
    char value[40], end[40];
    format_real(value, rule.value);
    if (rule.kind == RULE_constant) return strcpy(out, value);
    bool two = rule_two(rule.kind);
    snprintf(out, RULE_TEXT_SIZE, "%s %s%s%s", rules[rule.kind].name, value, two ? " " : "",
             two ? format_real(end, rule.end) : "");
    return out;
}
