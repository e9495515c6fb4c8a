#include "datasets/tokenize_13a.h"

#include <string.h>

#include "base/utf8.h"
#include "datasets/tokenizer.h"

bool white_space(uint32_t code) {
    return (code >= 0x09 && code <= 0x0d) || (code >= 0x1c && code <= 0x20) || code == 0x85 || code == 0xa0 ||
           code == 0x1680 || (code >= 0x2000 && code <= 0x200a) || code == 0x2028 || code == 0x2029 || code == 0x202f ||
           code == 0x205f || code == 0x3000;
}

/* Read the character at `at`; return its bytes. An invalid byte is one character. */
static size_t character(const char *s, size_t length, size_t at, uint32_t *code) {
    size_t n = utf8_next((const uint8_t *)s + at, length - at, code);
    if (n) return n;
    *code = 0xfffd;
    return 1;
}

/* Return the length without white space at the end. */
static size_t cut(const char *s, size_t length) {
    size_t end = 0;
    uint32_t code;
    for (size_t at = 0; at < length;) {
        at += character(s, length, at, &code);
        if (!white_space(code)) end = at;
    }
    return end;
}

/* Replace every `from` by `to`, from left to right. */
static void replace(Text *t, const char *from, const char *to) {
    Text out;
    size_t n = strlen(from);
    text_init(&out);
    for (size_t i = 0; i < t->length;)
        if (t->length - i >= n && !memcmp(t->at + i, from, n)) {
            text_add(&out, to, strlen(to));
            i += n;
        } else
            text_add(&out, t->at + i++, 1);
    text_release(t);
    *t = out;
}

static bool digit(char c) {
    return c >= '0' && c <= '9';
}

static bool stop(char c) {
    return c == '.' || c == ',';
}

static bool alone(char c) {
    return (c >= ' ' && c <= '&') || (c >= '(' && c <= '+') || c == '/' || (c >= ':' && c <= '@') ||
           (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
}

/* A rule: the two neighbouring bytes that it matches, and where it puts blanks. A byte of a longer character is neither
 * digit nor punctuation. */
typedef struct {
    bool (*pair)(char a, char b);
    const char *before, *between, *behind;
} Rule;

static bool stop_behind(char a, char b) {
    return !digit(a) && stop(b);
}
static bool stop_before(char a, char b) {
    return stop(a) && !digit(b);
}
static bool hyphen_behind(char a, char b) {
    return digit(a) && b == '-';
}
static const Rule rules[] = {{stop_behind, "", " ", " "}, {stop_before, " ", " ", ""}, {hyphen_behind, "", " ", " "}};

/* Apply a rule; the next pair begins after both bytes of a match. */
static void apply(const Rule *rule, Text *t) {
    Text out;
    text_init(&out);
    for (size_t i = 0; i < t->length;)
        if (i + 1 < t->length && rule->pair(t->at[i], t->at[i + 1])) {
            text_add(&out, rule->before, strlen(rule->before));
            text_add(&out, t->at + i, 1);
            text_add(&out, rule->between, strlen(rule->between));
            text_add(&out, t->at + i + 1, 1);
            text_add(&out, rule->behind, strlen(rule->behind));
            i += 2;
        } else
            text_add(&out, t->at + i++, 1);
    text_release(t);
    *t = out;
}

/* Replace the line by " line " with punctuation as words. */
static void punctuation(Text *t) {
    Text out;
    text_init(&out);
    text_add(&out, " ", 1);
    for (size_t i = 0; i < t->length; i++) {
        const char three[3] = {' ', t->at[i], ' '};
        text_add(&out, alone(t->at[i]) ? three : three + 1, alone(t->at[i]) ? 3 : 1);
    }
    text_add(&out, " ", 1);
    text_release(t);
    *t = out;
}

static void words(const Text *t, Text *out) {
    uint32_t code;
    bool first = true, open = false;
    for (size_t at = 0, n; at < t->length; at += n) {
        n = character(t->at, t->length, at, &code);
        if (white_space(code)) {
            open = false;
            continue;
        }
        if (!open && !first) text_add(out, " ", 1);
        text_add(out, t->at + at, n);
        open = true, first = false;
    }
}

void tokenize_13a(const char *line, size_t length, Text *out) {
    static const char *const first[][2] = {{"<skipped>", ""}, {"-\n", ""},    {"\n", " "},  {"&quot;", "\""},
                                           {"&amp;", "&"},    {"&lt;", "<"}, {"&gt;", ">"}};
    LOCAL_TEXT(t);
    text_add(&t, line, cut(line, length));
    for (size_t i = 0; i < sizeof first / sizeof *first; i++) replace(&t, first[i][0], first[i][1]);
    punctuation(&t);
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) apply(&rules[i], &t);
    words(&t, out);
}
