/* A number of a variant's row that may depend on where it stands, be learned, or move over the steps
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
    double value, end; /* end: of rules that have two numbers */
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

/* A model is one stack of blocks, or an encoder and a decoder of as many blocks each. */
typedef enum { STACK_ALONE, STACK_ENCODER, STACK_DECODER } StackKind;

/* Where it stands: block `layer` (0-based) of `depth` of a stack, times a stream of `width` columns. */
typedef struct {
    int layer, depth, width;
    StackKind stack;
} RulePlace;

/* Sublayers of a block: a decoder's has attention to what the encoder read too. */
static inline int stack_sublayers(StackKind stack) {
    return stack == STACK_DECODER ? 3 : 2;
}

/* The number; learned rules give their starting value, moving ones that of the first step. */
double rule_value(Rule rule, RulePlace at);

/* What a learned number is multiplied by, 1 but for a few; of a moving rule: its value at the last step. */
double rule_factor(Rule rule, RulePlace at);

Learns rule_learns(RuleKind kind);
bool rule_two(RuleKind kind);        /* it has two numbers */
bool rule_numberless(RuleKind kind); /* it has none: what it is follows from another number or is measured */

/* The name and the text of a rule in rules.def. */
const char *rule_name(RuleKind kind);
const char *rule_formula(Rule rule);

/* Columns of the row that a rule learns in a stream of `width` columns; 0: it learns nothing. */
int rule_width(Rule rule, int width);

/* The same number everywhere and at every step. */
bool rule_is(Rule rule, double value);

/* "0.5", "learned 0.1", "moves 0 1" for a column called key that takes rules that learn what `possible` (bits 1 <<
 * Learns) says. RC_USAGE names the nearest valid one, and leaves *rule as it is. */
Rc rule_parse(Rule *rule, unsigned possible, const char *key, const char *value, Error *e);

/* Its canonical text; out holds RULE_TEXT_SIZE bytes; returns out. */
enum { RULE_TEXT_SIZE = 120 };
char *rule_text(char *out, Rule rule);

/* What such a column may be, for help and errors. */
void rule_valid(unsigned possible, Text *out);

#endif
