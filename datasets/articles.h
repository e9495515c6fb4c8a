/* Canonical order of the articles of a WikiText file. Redistributions permute them, so a file is cut into articles, and
 * these are sorted by their SHA-256, which gives the same bytes from every source. */
#ifndef DATASETS_ARTICLES_H
#define DATASETS_ARTICLES_H

#include <stddef.h>
#include <stdint.h>

/* Return the bytes of text[length] in that order, with a terminating zero; the caller frees them. An article begins one
 * line before each line " = Title = " (three bytes on either side, the title not beginning with "="), the first one
 * with the file. */
uint8_t *articles_sort(const uint8_t *text, size_t length);

#endif
