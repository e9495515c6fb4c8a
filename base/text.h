/* Text: a growing string, strict number parsing, and number formatting independent of the locale. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* `at` is always a terminated string once text_init ran; length excludes the terminator. */
typedef struct {
    char *at;
    size_t length, room;
} Text;

void text_init(Text *t);
void text_release(Text *t);

/* Declare an empty text that is released where its block ends. */
Text text_new(void);
#define LOCAL_TEXT(name) LOCAL(text_release) Text name = text_new()

void text_clear(Text *t);
void text_add(Text *t, const char *bytes, size_t length);
void text_format(Text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Append a line of a canonical text: "key = value\n". */
void text_pair(Text *t, const char *key, const char *value);

/* Append words, broken at blanks into lines of at most `width` columns; the first begins with `head`, the others with
 * `indent` blanks. */
void text_wrapped(Text *t, const char *head, const char *words, int indent, int width);

/* Put the next line of a text into `line`, without its end, and move *at behind it; false: the text is at its end. */
bool text_line(const char **at, Text *line);

/* Return true if a text ends with `end` and has something before it. */
bool text_ends(const char *text, const char *end);

/* Order texts for qsort, bsearch and tfind: elements that begin with a text, and pointers to texts. */
int text_order(const void *a, const void *b);
int name_order(const void *a, const void *b);

/* Append a word as a shell reads it: as it is, or in single quotes. */
void text_shell(Text *t, const char *word);

/* Parse a whole string: no blanks, no trailing bytes, no nan or inf, no locale's comma. Otherwise return false and
 * leave *out alone. parse_integer: no "+", no leading zero ("010"), no hex; it must fit. parse_whole: also other
 * spellings of whole numbers: +3, and 8.0 or 1e3 up to 2^53. parse_real: finite; every decimal that YAML 1.2 and C
 * write (.5, 1., +1, 01.5, 1e-3) and C's %a (0x1p-3); not 010. */
bool parse_integer(const char *text, int64_t *out);
bool parse_whole(const char *text, int64_t *out);
bool parse_real(const char *text, double *out);
/* Parse true and false of YAML 1.2 (true, True, TRUE) and 1.1 (yes, on), for keys that take only these. */
bool parse_bool(const char *text, bool *out);

/* Write the shortest decimal that reads back as exactly x ("0.1", "0.0003", "1e-08"), or "inf", "-inf", "nan".
 * out has at least 40 bytes; return out. */
char *format_real(char *out, double x);
#define FORMAT_REAL(x) format_real((char[40]){0}, x) /* in a buffer of this block */
/* Write a share in percent, without what the rounding of 1 - 0.05 leaves. */
char *format_percent(char *out, double share);
#define FORMAT_PERCENT(share) format_percent((char[40]){0}, share)

/* Write a learning rate as a reader writes it: "1e-3", "2.5e-4"; from 1 on as format_real. out as there. */
char *format_rate(char *out, double rate);
#define FORMAT_RATE(rate) format_rate((char[40]){0}, rate)

/* Write seconds since 1970 as "2026-03-01 10:22 UTC"; "" for 0 (unknown) and times outside the calendar. Return out. */
enum { TIME_SIZE = 24 };
char *format_time(char out[TIME_SIZE], int64_t seconds);

/* Trim blanks at both ends, in place. */
char *trim(char *text);

#endif
