#include "tests/gpu/json.h"

#include <assert.h>
#include <math.h>

static void quoted(Text *t, const char *value) {
    text_add(t, "\"", 1);
    for (; *value; value++) {
        if (*value == '"' || *value == '\\')
            text_format(t, "\\%c", *value);
        else if ((unsigned char)*value < ' ')
            text_format(t, "\\u%04x", (unsigned char)*value);
        else
            text_add(t, value, 1);
    }
    text_add(t, "\"", 1);
}

static void item(Json *j, const char *key) {
    if (j->filled[j->depth]) text_add(&j->text, ",", 1);
    if (j->depth || j->filled[0]) text_format(&j->text, "\n%*s", 2 * j->depth, "");
    j->filled[j->depth] = true;
    if (!key) return;
    quoted(&j->text, key);
    text_add(&j->text, ": ", 2);
}

static void deeper(Json *j, const char *key, char opens, char closes) {
    item(j, key);
    assert(j->depth + 1 < JSON_DEEPEST);
    text_add(&j->text, &opens, 1);
    j->depth++;
    j->bracket[j->depth] = closes, j->filled[j->depth] = false;
}

void json_init(Json *j) {
    *j = (Json){.depth = 0};
    text_init(&j->text);
}

void json_release(Json *j) {
    text_release(&j->text);
}

void json_object(Json *j, const char *key) {
    deeper(j, key, '{', '}');
}

void json_list(Json *j, const char *key) {
    deeper(j, key, '[', ']');
}

void json_end(Json *j) {
    assert(j->depth);
    char bracket = j->bracket[j->depth];
    bool filled = j->filled[j->depth--];
    if (filled) text_format(&j->text, "\n%*s", 2 * j->depth, "");
    text_add(&j->text, &bracket, 1);
    if (!j->depth) text_add(&j->text, "\n", 1);
}

void json_text(Json *j, const char *key, const char *value) {
    item(j, key);
    quoted(&j->text, value);
}

void json_number(Json *j, const char *key, double value) {
    char text[40];
    item(j, key);
    text_format(&j->text, "%s", isfinite(value) ? format_real(text, value) : "null");
}

void json_bool(Json *j, const char *key, bool value) {
    item(j, key);
    text_format(&j->text, "%s", value ? "true" : "false");
}
