#include "base/text.h"

#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"

Text text_new(void) {
    enum { ROOM = 256 };
    return (Text){.at = mem_alloc(ROOM, 1), .room = ROOM};
}

void text_init(Text *t) {
    *t = text_new();
}

void text_release(Text *t) {
    free(t->at);
    t->at = NULL;
    t->length = t->room = 0;
}

void text_clear(Text *t) {
    t->length = 0;
    t->at[0] = 0;
}

static void text_reserve(Text *t, size_t more) {
    while (t->length + more + 1 > t->room) t->at = mem_grow(t->at, t->room *= 2, 1);
}

void text_add(Text *t, const char *bytes, size_t length) {
    text_reserve(t, length);
    if (length) memcpy(t->at + t->length, bytes, length); /* bytes may be NULL if length is 0 */
    t->length += length;
    t->at[t->length] = 0;
}

void text_format(Text *t, const char *format, ...) {
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    size_t left = t->room - t->length;
    int n = vsnprintf(t->at + t->length, left, format, args);
    va_end(args);
    if ((size_t)n >= left) {
        text_reserve(t, (size_t)n);
        vsnprintf(t->at + t->length, (size_t)n + 1, format, again);
    }
    va_end(again);
    t->length += (size_t)n;
}

void text_pair(Text *t, const char *key, const char *value) {
    text_add(t, key, strlen(key));
    text_add(t, " = ", 3);
    text_add(t, value, strlen(value));
    text_add(t, "\n", 1);
}

void text_wrapped(Text *t, const char *head, const char *words, int indent, int width) {
    int column = (int)strlen(head);
    const char *between = "";
    text_format(t, "%s", head);
    for (; *words; between = " ") {
        size_t n = strcspn(words, " ");
        if (*between && column + 1 + (int)n > width) text_format(t, "\n%*s", indent, between = ""), column = indent;
        text_format(t, "%s%.*s", between, (int)n, words);
        column += (int)(n + strlen(between));
        words += n + (words[n] == ' ');
    }
    text_format(t, "\n");
}

bool text_line(const char **at, Text *line) {
    size_t n = strcspn(*at, "\n");
    if (!**at) return false;
    text_clear(line);
    text_add(line, *at, n);
    *at += n + ((*at)[n] != 0);
    return true;
}

bool text_ends(const char *text, const char *end) {
    size_t n = strlen(text), m = strlen(end);
    return n > m && !strcmp(text + n - m, end);
}

int text_order(const void *a, const void *b) {
    return strcmp(a, b);
}

int name_order(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void text_shell(Text *t, const char *word) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:,+@%";
    if (*word && strspn(word, plain) == strlen(word)) {
        text_add(t, word, strlen(word));
        return;
    }
    text_add(t, "'", 1);
    for (; *word; word++) text_add(t, *word == '\'' ? "'\\''" : word, *word == '\'' ? 4 : 1);
    text_add(t, "'", 1);
}

/* Match -?(0|[1-9][0-9]*); return the byte after the match, or NULL. */
static const char *match_integer(const char *s) {
    if (*s == '-') s++;
    if (*s == '0') return s + 1;
    if (!isdigit((unsigned char)*s)) return NULL;
    while (isdigit((unsigned char)*s)) s++;
    return s;
}

bool parse_integer(const char *text, int64_t *out) {
    const char *end = match_integer(text);
    if (!end || *end) return false;
    errno = 0;
    long long value = strtoll(text, NULL, 10);
    if (errno) return false;
    *out = value;
    return true;
}

bool parse_whole(const char *text, int64_t *out) {
    double x;
    if (parse_integer(text + (text[0] == '+' && text[1] != '-'), out)) return true;
    if (!strpbrk(text, ".eE") || !parse_real(text, &x) || x != floor(x) || fabs(x) > 0x1p53) return false;
    *out = (int64_t)x;
    return true;
}

/* Match nothing, or e (or p) and a whole number; return the byte after the match, or NULL. */
static const char *match_exponent(const char *s, char e) {
    if (tolower((unsigned char)*s) != e) return s;
    s++;
    if (*s == '-' || *s == '+') s++;
    size_t n = strspn(s, "0123456789");
    return n ? s + n : NULL;
}

/* Match [-+]? digits with an optional point and exponent, as YAML 1.2 and C's %e, %f and %a (0x1p-3) write them. Digits
 * alone must not begin with a zero, which is octal in C. *first: the first digit; return the byte after the match. */
static const char *match_real(const char *s, const char **first) {
    if (*s == '-' || *s == '+') s++;
    bool hex = s[0] == '0' && (s[1] == 'x' || s[1] == 'X'), long_zero = s[0] == '0' && isdigit((unsigned char)s[1]);
    const char *digits = hex ? "0123456789abcdefABCDEF" : "0123456789";
    const char *from = *first = s + (hex ? 2 : 0), *end;
    size_t n = strspn(from, digits), behind = from[n] == '.' ? strspn(from + n + 1, digits) : 0;
    if (!(n + behind)) return NULL;
    from += n + (from[n] == '.') + behind;
    end = match_exponent(from, hex ? 'p' : 'e');
    bool plain = !behind && from[-1] != '.' && end == from;
    return (hex && end == from) || (long_zero && plain) ? NULL : end;
}

bool parse_real(const char *text, double *out) {
    const char *first, *end = match_real(text, &first);
    if (!end || *end) return false;
    /* use "C", so that the decimal point is a point whatever LC_NUMERIC says */
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    double value = strtod_l(text, NULL, c);
    freelocale(c);
    /* refuse a number outside of double's range instead of rounding it to 0 or inf; -0 is 0 */
    bool hex = first - text >= 2 && (first[-1] == 'x' || first[-1] == 'X');
    bool vanished =
        value == 0 && strcspn(first, hex ? "123456789abcdefABCDEF" : "123456789") < strcspn(first, hex ? "pP" : "eE");
    if (!isfinite(value) || vanished) return false;
    *out = value + 0.0;
    return true;
}

bool parse_bool(const char *text, bool *out) {
    static const char *const words[] = {"true",  "True",  "TRUE",  "yes", "Yes", "YES", "on",  "On",  "ON",
                                        "false", "False", "FALSE", "no",  "No",  "NO",  "off", "Off", "OFF"};
    enum { COUNT = sizeof words / sizeof *words };
    for (int i = 0; i < COUNT; i++)
        if (!strcmp(text, words[i])) {
            *out = i < COUNT / 2;
            return true;
        }
    return false;
}

/* Return true if %.*e with these digits reads back as x; the program never calls setlocale, so "." is the point. */
static bool reads_back(double x, int digits) {
    char buffer[40];
    snprintf(buffer, sizeof buffer, "%.*e", digits, x);
    return strtod(buffer, NULL) == x;
}

/* Return the digits after the first that read back as x: 16 always suffice, and if n do, so do more. */
static int digits_of(double x) {
    int digits = 0, most = 16;
    while (digits < most) { /* most numbers need 15 or 16, or up to 2 */
        int tried = most == 16 ? digits < 14 ? 14 : digits : digits < 3 ? digits : (digits + most) / 2;
        if (reads_back(x, tried))
            most = tried;
        else
            digits = tried + 1;
    }
    return digits;
}

char *format_real(char *out, double x) {
    if (isnan(x)) return strcpy(out, "nan");
    if (isinf(x)) return strcpy(out, x > 0 ? "inf" : "-inf");
    if (x == 0) return strcpy(out, signbit(x) ? "-0" : "0");
    if (fabs(x) < 1e9 && x == (int)x) { /* most numbers of a plan: same text without the search */
        sprintf(out, "%d", (int)x);
        return out;
    }
    char buffer[40];
    const int digits = digits_of(x);
    snprintf(buffer, sizeof buffer, "%.*e", digits, x);
    int exponent = atoi(strchr(buffer, 'e') + 1);
    if (exponent < -5 || exponent > 15)
        snprintf(out, 40, "%.*e", digits, x);
    else
        snprintf(out, 40, "%.*f", digits > exponent ? digits - exponent : 0, x);
    return out;
}

char *format_percent(char *out, double share) {
    return format_real(out, round(1e8 * share) / 1e6);
}

char *format_rate(char *out, double rate) {
    char text[40], *e;
    if (!isfinite(rate) || rate <= 0 || (rate >= 1 && rate < 1e5)) return format_real(out, rate);
    snprintf(text, sizeof text, "%.*e", digits_of(rate), rate);
    e = strchr(text, 'e');
    sprintf(out, "%.*se%ld", (int)(e - text), text, strtol(e + 1, NULL, 10));
    return out;
}

char *format_time(char out[TIME_SIZE], int64_t seconds) {
    time_t t = (time_t)seconds;
    struct tm utc;
    if (!seconds || !gmtime_r(&t, &utc) || !strftime(out, TIME_SIZE, "%Y-%m-%d %H:%M UTC", &utc)) out[0] = 0;
    return out;
}

char *trim(char *text) {
    while (isspace((unsigned char)*text)) text++;
    size_t n = strlen(text);
    while (n && isspace((unsigned char)text[n - 1])) text[--n] = 0;
    return text;
}
