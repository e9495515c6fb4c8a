/* UTF-8, code point by code point. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Read the code point at the start of text[length] (length > 0) into *code; return its bytes, 1 to 4, or 0 if no
 * well-formed UTF-8 begins there (overlong forms, surrogates and values above 10FFFF are not well formed). */
size_t utf8_next(const uint8_t *text, size_t length, uint32_t *code);

/* Return how many bytes of a text's first whole characters fit into `most` bytes. */
size_t utf8_fitting(const char *text, size_t most);

#endif
