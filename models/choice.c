#include "models/choice.h"

#include <stdio.h>
#include <string.h>

/* Words of choices.def. */
enum { usual = 0, whole = 1, few = 2, apart = 4 };

static const struct {
    const char *column, *name, *formula;
    double value;
    int kind;
} choices[CHOICE_COUNT] = {
#define CHOICE(column, name, number, kind, formula) \
    [CHOICE_##column##_##name] = {#column, #name, formula, number, kind},
#include "models/choices.def"
#undef CHOICE
};

const char *choice_name(ChoiceKind kind) {
    return choices[kind].name;
}

const char *choice_formula(ChoiceKind kind) {
    return choices[kind].formula;
}

bool choice_apart(ChoiceKind kind) {
    return choices[kind].kind & apart;
}

/* Whether the choice is one of the column called key ("attn.qk_over" is qk_over). */
static bool of_column(int i, const char *key) {
    const char *dot = strrchr(key, '.');
    return !strcmp(choices[i].column, dot ? dot + 1 : key);
}

void choice_valid(const char *key, Text *out) {
    const char *comma = "";
    for (int i = 0; i < CHOICE_COUNT; i++) {
        if (!of_column(i, key)) continue;
        text_format(out, "%s%s%s", comma, choices[i].name, choices[i].value != 0 ? " and a number" : "");
        comma = ", ";
    }
}

/* A whole number of streams or groups, or a factor: `least` and more. */
static Rc read_number(Choice *read, const char *key, const char *text, Error *e) {
    const char *name = choices[read->kind].name;
    double number;
    if (choices[read->kind].value == 0)
        return error_set(e, RC_USAGE, "%s: '%s' takes no number, not '%.40s'", key, name, text);
    int count = choices[read->kind].kind & (whole | few), most = count & few ? 8 : 64;
    if (!parse_real(text, &number) || number <= 0 || number > most || (count && (number < 2 || number != (int)number)))
        return error_set(e, RC_USAGE, "%s: %s: '%.40s' is not %s%d", key, name, text,
                         count ? "a whole number from 2 to " : "a number above 0, at most ", most);
    read->value = number;
    return RC_OK;
}

Rc choice_parse(Choice *choice, const char *key, const char *value, Error *e) {
    const char *names[CHOICE_COUNT];
    size_t count = 0, n = strcspn(value, " ");
    char word[32], hint[96];
    snprintf(word, sizeof word, "%.*s", (int)(n < sizeof word ? n : sizeof word - 1), value);
    for (int i = 0; i < CHOICE_COUNT; i++) {
        if (!of_column(i, key)) continue;
        names[count++] = choices[i].name;
        if (strcmp(word, choices[i].name)) continue;
        Choice read = {(ChoiceKind)i, choices[i].value};
        Rc rc = value[n] ? read_number(&read, key, value + n + 1, e) : RC_OK;
        if (!rc) *choice = read;
        return rc;
    }
    LOCAL_TEXT(valid);
    choice_valid(key, &valid);
    error_set(e, RC_USAGE, "%s: unknown value '%.80s'%s", key, value,
              did_you_mean(hint, sizeof hint, word, names, count));
    error_valid(e, valid.at);
    return e->code;
}

char *choice_text(char *out, Choice choice) {
    char number[40];
    snprintf(out, CHOICE_TEXT_SIZE, "%s", choices[choice.kind].name);
    if (choices[choice.kind].value != 0)
        snprintf(out, CHOICE_TEXT_SIZE, "%s %s", choices[choice.kind].name, format_real(number, choice.value));
    return out;
}
