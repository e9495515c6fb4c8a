/* Columns of a variant that name one of a few ways (models/choices.def), some with a number behind the name. */
#ifndef MODELS_CHOICE_H
#define MODELS_CHOICE_H

#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"

typedef enum {
#define CHOICE(column, name, ...) CHOICE_##column##_##name,
#include "models/choices.def"
#undef CHOICE
    CHOICE_COUNT
} ChoiceKind;

typedef struct {
    ChoiceKind kind;
    double value; /* 0 where none is taken */
} Choice;

const char *choice_name(ChoiceKind kind); /* "hyper" */
const char *choice_formula(ChoiceKind kind);
bool choice_apart(ChoiceKind kind); /* of streams: a sublayer ends in no sum x + f */

/* "hyper", "hyper 4" for the column called key: "streams", "attn.qk_over". RC_USAGE names the nearest valid one,
 * and leaves *choice as it is. */
Rc choice_parse(Choice *choice, const char *key, const char *value, Error *e);

/* Its canonical text; out holds CHOICE_TEXT_SIZE bytes; returns out. */
enum { CHOICE_TEXT_SIZE = 64 };
char *choice_text(char *out, Choice choice);

/* What the column may be, for help and errors. */
void choice_valid(const char *key, Text *out);

#endif
