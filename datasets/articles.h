/* One order for the articles of a WikiText file. Redistributions permute them, so a file in any order is cut into its
 * articles, and these are put in the order of their SHA-256: the same bytes from every source. */
#ifndef DATASETS_ARTICLES_H
#define DATASETS_ARTICLES_H

#include <stddef.h>
#include <stdint.h>

/* The bytes of text[length] in that order, as many, with a terminating zero; freed by the caller. An article begins one
 * line before each line " = Title = " (three bytes on either side, the title not beginning with "="), the first one
 * with the file. */
uint8_t *articles_sort(const uint8_t *text, size_t length);

#endif
