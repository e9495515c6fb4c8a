/* Rule: a number of a variant's row that may depend on its place, be learned, or move over the steps
 * (models/rules.def). */
#ifndef MODELS_RULE_H
#define MODELS_RULE_H

#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"

typedef enum {
#define RULE(name, ...) RULE_##name,
#include "models/rules.def"
#undef RULE
    RULE_COUNT
} RuleKind;

typedef struct {
    RuleKind kind;
    double value, end; /* end: second number of rules that have two */
} Rule;

typedef enum {
    LEARNS_fixed,
    LEARNS_number,
    LEARNS_block,
    LEARNS_row,
    LEARNS_profiled,
    LEARNS_moving,
    LEARNS_rest
} Learns;

/* Kinds of stacks: a model is one stack, or an encoder and a decoder of equally many blocks. */
typedef enum { STACK_ALONE, STACK_ENCODER, STACK_DECODER } StackKind;

/* Place of a rule: block `layer` (0-based) of `depth` of a stack, on a stream of `width` columns. */
typedef struct {
    int layer, depth, width;
    StackKind stack;
} RulePlace;

/* Return the sublayers of a block; a decoder's also has attention to the encoder's output. */
static inline int stack_sublayers(StackKind stack) {
    return stack == STACK_DECODER ? 3 : 2;
}

/* Return the number; for learned rules the initial value, for moving ones that of the first step. */
double rule_value(Rule rule, RulePlace at);

/* Return the factor of a learned number, usually 1; for a moving rule its value at the last step. */
double rule_factor(Rule rule, RulePlace at);

Learns rule_learns(RuleKind kind);
bool rule_numberless(RuleKind kind); /* true: its number follows from another one, or is measured */

/* Return the name, or the text, of a rule in rules.def. */
const char *rule_name(RuleKind kind);
const char *rule_formula(Rule rule);

/* Return the columns of the row that a rule learns for a stream of `width` columns; 0: it learns nothing. */
int rule_width(Rule rule, int width);

/* Return true if the rule is this number everywhere and at every step. */
bool rule_is(Rule rule, double value);

/* Parse "0.5", "learned 0.1", "moves 0 1" for a column called key, which takes the kinds of rules in `possible` (bits 1
 * << Learns). RC_USAGE names the nearest valid one, and leaves *rule as it is. */
Rc rule_parse(Rule *rule, unsigned possible, const char *key, const char *value, Error *e);

/* Write a rule's canonical text to out[RULE_TEXT_SIZE]; return out. */
enum { RULE_TEXT_SIZE = 120 };
char *rule_text(char *out, Rule rule);

/* Append such a column's valid values, for help and errors. */
void rule_valid(unsigned possible, Text *out);

#endif
