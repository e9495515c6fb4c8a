/* Text: a growing string, strict number parsing, and number formatting that does not ask the locale. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* `at` is always a terminated string once text_init ran; length excludes the terminator. */
typedef struct {
    char *at;
    size_t length, room;
} Text;

void text_init(Text *t);
void text_release(Text *t);
void text_clear(Text *t);
void text_add(Text *t, const char *bytes, size_t length);
void text_format(Text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A line of canonical texts: "key = value\n". */
void text_pair(Text *t, const char *key, const char *value);

/* Words broken at blanks so that no line is longer than `width` columns; the first begins with `head`, the others with
 * `indent` blanks. */
void text_wrapped(Text *t, const char *head, const char *words, int indent, int width);

/* A word as a shell reads it back: as it is, or in single quotes. */
void text_shell(Text *t, const char *word);

/* Whole string or nothing: no blanks, no trailing bytes, no nan or inf, no locale's comma. Return false and leave *out
 * alone otherwise.
 * parse_integer: our own form, no "+", no leading zero ("010"), no hex; it must fit.
 * parse_whole: the same as people and programs write it: also +3, and 8.0 or 1e3 up to 2^53.
 * parse_real: finite; every decimal that YAML 1.2 and C write (.5, 1., +1, 01.5, 1e-3) and C's %a (0x1p-3); not 010. */
bool parse_integer(const char *text, int64_t *out);
bool parse_whole(const char *text, int64_t *out);
bool parse_real(const char *text, double *out);
/* true and false as YAML 1.2 (true, True, TRUE) and 1.1 (yes, on) have them, for a key that is nothing else. */
bool parse_bool(const char *text, bool *out);

/* The shortest decimal that reads back as exactly x ("0.1", "0.0003", "1e-08"), "inf", "-inf", "nan".
 * out holds at least 40 bytes; returns out. */
char *format_real(char *out, double x);

/* Seconds since 1970 as "2026-03-01 10:22 UTC"; "" for 0 (not known) and what no calendar has. Returns out. */
enum { TIME_SIZE = 24 };
char *format_time(char out[TIME_SIZE], int64_t seconds);

/* Trims blanks at both ends in place. */
char *trim(char *text);

#endif
