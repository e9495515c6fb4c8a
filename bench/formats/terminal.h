/* Width of text pages, for all tables and paragraphs. */
#ifndef BENCH_FORMATS_TERMINAL_H
#define BENCH_FORMATS_TERMINAL_H

#include <stdbool.h>

/* Columns of a page in files and pipes, and limits. */
enum { PAGE_WIDTH = 110, LEAST_PAGE_WIDTH = 40, MOST_PAGE_WIDTH = 400 };

/* Return the columns of stdout: on a terminal those of COLUMNS, else the terminal's own; else PAGE_WIDTH. */
int terminal_width(void);

/* Compute the width from its parts: terminal: stdout is one; columns: COLUMNS or NULL; own: the terminal's width or 0.
 * COLUMNS that is no whole number is ignored; a number is clamped to LEAST_PAGE_WIDTH..MOST_PAGE_WIDTH. */
int terminal_width_of(bool terminal, const char *columns, int own);

#endif
