/* How wide a page of text is: the one place that tables and paragraphs for a reader ask. */
#ifndef BENCH_FORMATS_TERMINAL_H
#define BENCH_FORMATS_TERMINAL_H

#include <stdbool.h>

/* Columns of a page that no terminal shows: of files, and of what is piped. */
enum { PAGE_WIDTH = 110, LEAST_PAGE_WIDTH = 40, MOST_PAGE_WIDTH = 400 };

/* Columns of what is written to stdout: where it is a terminal, those of COLUMNS, else the terminal's own. */
int terminal_width(void);

/* The same of its parts: is stdout a terminal, what COLUMNS says (NULL: nothing), what the terminal says (0: nothing).
 * What is no whole number counts as nothing; a number is taken into LEAST_PAGE_WIDTH..MOST_PAGE_WIDTH. */
int terminal_width_of(bool terminal, const char *columns, int own);

#endif
