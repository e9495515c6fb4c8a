#include "bench/formats/json.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "base/utf8.h"

json_t *json_number_of(double x) {
    return isnan(x) ? json_string("nan") : isinf(x) ? json_string(x > 0 ? "inf" : "-inf") : json_real(x);
}

json_t *json_text_of(const char *text) {
    json_t *value = json_string(text);
    if (value) return value;
    LOCAL_TEXT(plain);
    for (const char *s = text; *s;) {
        uint32_t code;
        size_t n = utf8_next((const uint8_t *)s, strlen(s), &code);
        text_add(&plain, n ? s : "?", n ? n : 1);
        s += n ? n : 1;
    }
    value = json_string(plain.at);
    return value;
}

json_t *json_members(json_t *o, const JsonMember *member) {
    for (; member->key; member++) json_object_set_new(o, member->key, member->value);
    return o;
}

json_t *json_of_real(double x) {
    return json_number_of(x == 0 ? 0 : x);
}

json_t *json_known(double x) {
    return isnan(x) ? NULL : json_of_real(x);
}

json_t *json_or_null(double x) {
    return isnan(x) ? json_null() : json_of_real(x);
}

json_t *json_numbers(const double *x, size_t count) {
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) json_array_append_new(list, json_number_of(x[i]));
    return list;
}

json_t *json_wholes(const uint64_t *n, size_t count) {
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) json_array_append_new(list, json_integer((json_int_t)n[i]));
    return list;
}

json_t *json_of_whole(json_int_t n) {
    return json_integer(n);
}

json_t *json_of_flag(bool b) {
    return json_boolean(b);
}

json_t *json_of_text(const char *text) {
    json_t *value = json_string(text);
    return value || !text ? value : json_string("(not UTF-8)");
}

json_t *json_of_json(json_t *value) {
    return value;
}

bool json_number_read(const json_t *value, double *out) {
    if (json_is_number(value)) {
        *out = json_number_value(value);
        return true;
    }
    const char *text = json_string_value(value);
    if (!text || (strcmp(text, "nan") && strcmp(text, "inf") && strcmp(text, "-inf"))) return false;
    *out = text[0] == 'n' ? (double)NAN : text[0] == '-' ? -(double)INFINITY : (double)INFINITY;
    return true;
}

const char *json_get_text(const json_t *o, const char *key) {
    return json_string_value(json_object_get(o, key));
}

json_int_t json_get_whole(const json_t *o, const char *key) {
    return json_integer_value(json_object_get(o, key));
}

double json_get_number(const json_t *o, const char *key) {
    double x = (double)NAN;
    (void)json_number_read(json_object_get(o, key), &x);
    return x;
}

json_t *json_put(json_t *o, const JsonField *f, const void *from) {
    for (; f->key; f++) {
        const char *at = (const char *)from + f->at;
        union {
            int32_t half;
            int64_t whole;
            double x;
            bool flag;
        } is = {0};
        if (f->kind != 's') memcpy(&is, at, f->size);
        json_object_set_new(o, f->key, f->kind == 's'   ? json_of_text(at)
                                       : f->kind == 'b' ? json_boolean(is.flag)
                                       : f->kind == 'f' ? json_number_of(is.x)
                                                        : json_integer(f->size == 4 ? is.half : is.whole));
    }
    return o;
}

/* Read one member; false: it is absent, of another type or too large. */
static bool take(char *to, const JsonField *f, const json_t *value) {
    int64_t whole = json_integer_value(value);
    int32_t half = (int32_t)whole;
    bool flag = json_is_true(value), small = f->size == sizeof half;
    double x;
    if (f->kind == 's')
        return json_is_string(value) && (size_t)snprintf(to, f->size, "%s", json_string_value(value)) < f->size;
    if (f->kind == 'b'   ? !json_is_boolean(value)
        : f->kind == 'f' ? !json_number_read(value, &x)
                         : !json_is_integer(value) || (small && half != whole))
        return false;
    memcpy(to, f->kind == 'b' ? (void *)&flag : f->kind == 'f' ? (void *)&x : small ? (void *)&half : &whole, f->size);
    return true;
}

const char *json_take(void *to, const JsonField *f, const json_t *o) {
    const char *bad = NULL;
    for (; f->key; f++)
        if (!take((char *)to + f->at, f, json_object_get(o, f->key)) && !bad) bad = f->key;
    return bad;
}

json_t *json_read_file(const char *path, Error *e) {
    char *bytes;
    size_t length;
    json_error_t why;
    if (file_read(path, &bytes, &length, e)) return NULL;
    json_t *root = json_loadb(bytes, length, JSON_REJECT_DUPLICATES, &why);
    free(bytes);
    if (!root) error_set(e, RC_INTEGRITY, "%s:%d: %s", path, why.line, why.text);
    return root;
}

/* Return the string for a bare word at text[0]; *length: its bytes. NULL: it is none. */
static const char *bare_number(const char *text, size_t left, size_t *length) {
    static const char *const words[][2] = {
        {"NaN", "\"nan\""}, {"-NaN", "\"nan\""}, {"Infinity", "\"inf\""}, {"-Infinity", "\"-inf\""}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        *length = strlen(words[i][0]);
        if (left >= *length && !memcmp(text, words[i][0], *length)) return words[i][1];
    }
    return NULL;
}

/* Return the bytes of a number at text[0]; 0: there is none. *large: it is whole, and no 64 bits hold it. */
static size_t number_at(const char *text, size_t left, bool *large) {
    static const char least[] = "9223372036854775808", most[] = "9223372036854775807"; /* without a sign */
    size_t sign = left && text[0] == '-', n = sign, digits = 0;
    for (; n < left && text[n] && strchr("0123456789.eE+-", text[n]); n++) digits += text[n] >= '0' && text[n] <= '9';
    *large = digits == n - sign && digits >= strlen(most) && text[sign] != '0' &&
             (digits > strlen(most) || memcmp(text + sign, sign ? least : most, digits) > 0);
    return n;
}

/* Return the string for a number of n bytes that no double holds, as Python reads it; NULL: a double holds it. */
static const char *overflow_word(const char *number, size_t n) {
    char copy[512];
    if (n >= sizeof copy) return NULL;
    memcpy(copy, number, n), copy[n] = 0;
    double x = strtod(copy, NULL);
    return !isinf(x) ? NULL : x < 0 ? "\"-inf\"" : "\"inf\"";
}

json_t *json_python(const char *bytes, size_t length, json_error_t *why) {
    char *copy = mem_alloc(2 * length + 1, 1), *to = copy; /* no word or quoted number doubles its length */
    bool quoted = false;
    for (size_t at = 0, n; at < length;) {
        const char *number = quoted ? NULL : bare_number(bytes + at, length - at, &n);
        if (number) {
            to = strcpy(to, number) + strlen(number);
            at += n;
            continue;
        }
        bool large = false;
        n = quoted ? 0 : number_at(bytes + at, length - at, &large);
        const char *overflow = n && !large ? overflow_word(bytes + at, n) : NULL;
        if (overflow) to = strcpy(to, overflow) + strlen(overflow);
        if (n && !overflow) {
            if (large) *to++ = '"';
            to = (char *)memcpy(to, bytes + at, n) + n;
            if (large) *to++ = '"';
        }
        if (n) {
            at += n;
            continue;
        }
        if (quoted && bytes[at] == '\\' && at + 1 < length)
            *to++ = bytes[at++];
        else if (bytes[at] == '"')
            quoted = !quoted;
        *to++ = bytes[at++];
    }
    json_t *root = json_loadb(copy, (size_t)(to - copy), JSON_REJECT_DUPLICATES, why);
    free(copy);
    return root;
}

void json_print(json_t *root, int digits, Text *out) {
    OWNED char *text = json_dumps(root, JSON_INDENT(1) | JSON_REAL_PRECISION(digits));
    assert(text);
    text_format(out, "%s\n", text);
    json_decref(root);
}

Rc json_write_file(json_t *root, int digits, const char *path, Error *e) {
    LOCAL_TEXT(text);
    json_print(root, digits, &text);
    return file_write(path, text.at, text.length, e);
}

static const char *past_blanks(const char *s) {
    return s + strspn(s, " \t\r\n");
}

static const char *past_string(const char *s) {
    for (s++; *s != '"'; s++)
        if (*s == '\\') s++;
    return s + 1;
}

/* Return the end of the value at s. */
static const char *past_value(const char *s) {
    int open = 0;
    if (*s != '"' && *s != '{' && *s != '[') return s + strcspn(s, " \t\r\n,]}");
    do {
        if (*s == '"') {
            s = past_string(s);
            continue;
        }
        open += *s == '{' || *s == '[';
        open -= *s == '}' || *s == ']';
        s++;
    } while (open);
    return s;
}

/* A member in a text: its key with quotes, and its value. */
typedef struct {
    const char *key, *value;
    size_t length;
} MemberText;

/* Order two keys as jansson sorts them, the shorter of two with one beginning first. */
static int by_key(const void *a, const void *b) {
    const MemberText *x = a, *y = b;
    size_t m = x->length - 2, n = y->length - 2;
    int order = memcmp(x->key + 1, y->key + 1, m < n ? m : n);
    return order ? order : (m > n) - (m < n);
}

static bool compact_value(const char *s, const char *without, Text *out);

/* Sort and append the members of the object at s. */
static bool compact_object(const char *s, const char *without, Text *out) {
    OWNED MemberText *at = NULL;
    size_t members = 0;
    bool plain = true;
    int written = 0;
    for (s = past_blanks(s + 1); *s != '}'; s = past_blanks(s + (*s == ','))) {
        MemberText m = {.key = s, .length = (size_t)(past_string(s) - s)};
        m.value = past_blanks(past_blanks(s + m.length) + 1);
        s = past_blanks(past_value(m.value));
        plain = plain && !memchr(m.key, '\\', m.length);
        if (without && m.length == strlen(without) + 2 && !memcmp(m.key + 1, without, m.length - 2)) continue;
        at = mem_grow(at, members + 1, sizeof *at);
        at[members++] = m;
    }
    if (members) qsort(at, members, sizeof *at, by_key);
    text_add(out, "{", 1);
    for (size_t i = 0; i < members && plain; i++) {
        if (written++) text_add(out, ",", 1);
        text_add(out, at[i].key, at[i].length);
        text_add(out, ":", 1);
        plain = compact_value(at[i].value, NULL, out);
    }
    text_add(out, "}", 1);
    return plain;
}

static bool compact_value(const char *s, const char *without, Text *out) {
    bool plain = true;
    int written = 0;
    if (*s == '{') return compact_object(s, without, out);
    if (*s != '[') {
        text_add(out, s, (size_t)(past_value(s) - s));
        return true;
    }
    text_add(out, "[", 1);
    for (s = past_blanks(s + 1); *s != ']' && plain; s = past_blanks(s + (*s == ','))) {
        if (written++) text_add(out, ",", 1);
        plain = compact_value(s, NULL, out);
        s = past_blanks(past_value(s));
    }
    text_add(out, "]", 1);
    return plain;
}

bool json_compact(const char *text, const char *without, Text *out) {
    return compact_value(past_blanks(text), without, out);
}
