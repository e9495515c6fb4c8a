/* Readers of tasks.def: convert one line of a task's published file to the model's texts. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "bench/tasks/task.h"

static char *format(const char *how, ...) __attribute__((format(printf, 1, 2)));
static char *format(const char *how, ...) {
    va_list args;
    va_start(args, how);
    int n = vsnprintf(NULL, 0, how, args);
    va_end(args);
    char *out = mem_alloc((size_t)n + 1, 1);
    va_start(args, how);
    vsnprintf(out, (size_t)n + 1, how, args);
    va_end(args);
    return out;
}

static bool blank_byte(char c) {
    return c && strchr(" \t\n\r\v\f", c);
}

static bool blank(const char *text) {
    while (blank_byte(*text)) text++;
    return !*text;
}

/* Get a text, not blank, of an object. */
static Rc take(const json_t *of, const char *key, const char **out, Error *e) {
    const json_t *value = json_object_get(of, key);
    *out = json_string_value(value);
    if (!value) return error_set(e, RC_USAGE, "no '%s'", key);
    if (!*out) return error_set(e, RC_USAGE, "'%s' is not a text", key);
    if (blank(*out)) return error_set(e, RC_USAGE, "'%s' is blank", key);
    return RC_OK;
}

/* Get a label, a number or a text, of `choices` choices that count from `first`; -1: none. */
static Rc take_label(const json_t *of, const char *key, int first, int choices, int *out, Error *e) {
    const json_t *value = json_object_get(of, key);
    const char *text = json_string_value(value);
    int64_t number = 0;
    *out = -1;
    if (!value || (text && !*text)) return RC_OK;
    bool read = json_is_integer(value) || (text && parse_integer(text, &number));
    if (json_is_integer(value)) number = json_integer_value(value);
    if (!read || number < first || number >= first + choices)
        return error_set(e, RC_USAGE, "'%s' is not a number from %d to %d", key, first, first + choices - 1);
    *out = (int)number - first;
    return RC_OK;
}

static Rc add_choice(TaskItem *item, char *context, const char *text) {
    item->context[item->choices] = context;
    item->text[item->choices++] = mem_text(text);
    return RC_OK;
}

/* Add the choices under keys[n], all after the same context. */
static Rc add_keys(TaskItem *item, const json_t *line, const char *const *keys, int n, const char *context, Error *e) {
    for (int i = 0; i < n; i++) {
        const char *text;
        if (take(line, keys[i], &text, e)) return e->code;
        add_choice(item, mem_text(context), text);
    }
    return RC_OK;
}

Rc task_arc(TaskItem *item, const json_t *line, Error *e) {
    const json_t *question = json_object_get(line, "question"), *choices = json_object_get(question, "choices");
    const json_t *choice;
    const char *stem, *answer, *text, *label;
    size_t i;
    if (!json_is_object(question)) return error_set(e, RC_USAGE, "no 'question' with 'stem' and 'choices'");
    if (take(question, "stem", &stem, e)) return e->code;
    if (!json_is_array(choices) || json_array_size(choices) < 2 || json_array_size(choices) > TASK_CHOICES)
        return error_set(e, RC_USAGE, "'choices' is not a list of 2 to %d", TASK_CHOICES);
    if (take(line, "answerKey", &answer, e)) return e->code;
    json_array_foreach(choices, i, choice) {
        if (take(choice, "text", &text, e) || take(choice, "label", &label, e))
            return error_prefix(e, "choice %zu: ", i + 1);
        if (!strcmp(label, answer)) item->label = (int)i;
        add_choice(item, format("Question: %s\nAnswer:", stem), text);
    }
    return item->label < 0 ? error_set(e, RC_USAGE, "answerKey '%s' is no choice's label", answer) : RC_OK;
}

Rc task_piqa(TaskItem *item, const json_t *line, Error *e) {
    static const char *const keys[] = {"sol1", "sol2"};
    const char *goal;
    if (take(line, "goal", &goal, e)) return e->code;
    OWNED char *context = format("Question: %s\nAnswer:", goal);
    Rc rc = add_keys(item, line, keys, 2, context, e);
    return rc ? rc : take_label(line, "label", 0, 2, &item->label, e);
}

Rc task_siqa(TaskItem *item, const json_t *line, Error *e) {
    static const char *const keys[] = {"answerA", "answerB", "answerC"};
    const char *situation, *question;
    if (take(line, "context", &situation, e) || take(line, "question", &question, e)) return e->code;
    OWNED char *context = format("Q: %s %s\nA:", situation, question);
    Rc rc = add_keys(item, line, keys, 3, context, e);
    return rc ? rc : take_label(line, "label", 1, 3, &item->label, e);
}

/* Return text without blanks at either end. */
static char *stripped(const char *text) {
    char *copy = mem_text(text), *from = copy;
    size_t n = strlen(copy);
    while (n && blank_byte(copy[n - 1])) copy[--n] = 0;
    while (blank_byte(*from)) from++;
    memmove(copy, from, strlen(from) + 1);
    return copy;
}

Rc task_winogrande(TaskItem *item, const json_t *line, Error *e) {
    static const char *const keys[] = {"option1", "option2"};
    const char *sentence, *option[2];
    if (take(line, "sentence", &sentence, e)) return e->code;
    const char *gap = strchr(sentence, '_');
    if (!gap || strchr(gap + 1, '_')) return error_set(e, RC_USAGE, "'sentence' has not just one _");
    if (blank(gap + 1)) return error_set(e, RC_USAGE, "'sentence' has nothing behind its _");
    if (take(line, keys[0], &option[0], e) || take(line, keys[1], &option[1], e)) return e->code;
    OWNED char *rest = stripped(gap + 1);
    for (int i = 0; i < 2; i++) add_choice(item, format("%.*s%s", (int)(gap - sentence), sentence, option[i]), rest);
    return take_label(line, "answer", 1, 2, &item->label, e);
}

/* Replace every `what` by `with`, which is not longer, in place, from left to right. */
static void replace(char *text, const char *what, const char *with) {
    size_t n = strlen(what), m = strlen(with);
    char *to = text;
    for (const char *at = text; *at;) {
        bool here = !strncmp(at, what, n);
        if (here)
            memmove(to, with, m), to += m, at += n;
        else
            *to++ = *at++;
    }
    *to = 0;
}

/* Remove brackets on one line and their contents, in place. */
static void without_brackets(char *text) {
    char *to = text;
    for (const char *at = text; *at;) {
        size_t n = *at == '[' ? strcspn(at, "]\n") : 0;
        if (n && at[n] == ']')
            at += n + 1;
        else
            *to++ = *at++;
    }
    *to = 0;
}

/* Clean a text of hellaswag like the harness. */
static char *cleaned(const char *text) {
    char *out = stripped(text);
    replace(out, " [title]", ". ");
    without_brackets(out);
    replace(out, "  ", " ");
    return out;
}

/* Capitalize like Python's str.capitalize, ASCII only. */
static void capitalize(char *text) {
    for (char *c = text; *c; c++) {
        if (c == text && *c >= 'a' && *c <= 'z') *c = (char)(*c - 'a' + 'A');
        if (c > text && *c >= 'A' && *c <= 'Z') *c = (char)(*c - 'A' + 'a');
    }
}

static Rc hellaswag_context(const json_t *line, char **out, Error *e) {
    const char *activity, *a, *whole, *b = json_string_value(json_object_get(line, "ctx_b"));
    if (!json_object_get(line, "activity_label") || !json_object_get(line, "ctx_a")) {
        if (take(line, "ctx", &whole, e)) return e->code;
        *out = cleaned(whole);
        return RC_OK;
    }
    if (take(line, "activity_label", &activity, e) || take(line, "ctx_a", &a, e)) return e->code;
    OWNED char *second = mem_text(b ? b : "");
    capitalize(second);
    OWNED char *raw = format("%s: %s %s", activity, a, second);
    *out = cleaned(raw);
    return RC_OK;
}

Rc task_hellaswag(TaskItem *item, const json_t *line, Error *e) {
    const json_t *endings = json_object_get(line, "endings"), *ending;
    OWNED char *context = NULL;
    size_t i;
    if (!json_is_array(endings) || json_array_size(endings) < 2 || json_array_size(endings) > TASK_CHOICES)
        return error_set(e, RC_USAGE, "'endings' is not a list of 2 to %d texts", TASK_CHOICES);
    if (hellaswag_context(line, &context, e)) return e->code;
    Rc rc = blank(context) ? error_set(e, RC_USAGE, "its context is blank") : RC_OK;
    json_array_foreach(endings, i, ending) {
        const char *raw = json_string_value(ending);
        OWNED char *text = cleaned(raw ? raw : "");
        if (blank(text) && !rc) rc = error_set(e, RC_USAGE, "ending %zu is blank or no text", i + 1);
        add_choice(item, mem_text(context), text);
    }
    return rc ? rc : take_label(line, "label", 0, item->choices, &item->label, e);
}
