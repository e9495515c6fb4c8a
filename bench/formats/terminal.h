/* Width of text pages, for all tables and paragraphs. */
#ifndef BENCH_FORMATS_TERMINAL_H
#define BENCH_FORMATS_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

#include "base/text.h"

/* Columns of a page in files and pipes, and limits. */
enum { PAGE_WIDTH = 110, LEAST_PAGE_WIDTH = 40, PAGE_WIDTH_MAX = 400 };

/* Return the columns of stdout: on a terminal those of COLUMNS, else the terminal's own; else PAGE_WIDTH. */
int terminal_width(void);

/* Compute the width from its parts: terminal: stdout is one; columns: COLUMNS or NULL; own: the terminal's width or 0.
 * COLUMNS that is no whole number is ignored; a number is clamped to LEAST_PAGE_WIDTH..PAGE_WIDTH_MAX. */
int terminal_width_of(bool terminal, const char *columns, int own);

/* Lines that are wider than a page are broken at blanks; what goes on stands below the line's last column, which two
 * blanks or more set off (of a list of options: below what they say), or further left where its words would not fit.
 * A word that is wider than the page is broken: a signature, a|b|c, before a bar, a path behind a slash. Lines of a
 * drawing stay whole. */
void terminal_fit(const char *text, int width, Text *out);

/* Titles of tables in bold, "better than …" in green, "worse than …" in red: for a terminal. */
void terminal_paint(const char *text, Text *out);

/* Prints to stdout. Where that is a terminal lines fit it, and are painted where TERM is not "dumb" and NO_COLOR is not
 * set. */
void terminal_print(const char *text);

/* Prints whole lines, printf-style, to stdout or stderr; where that is a terminal they fit it. */
void terminal_say(FILE *to, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
