/* The tokenizer "13a" of sacreBLEU (Post 2018), that of NIST's mteval-v13a.pl: what BLEU's words are. */
#ifndef DATASETS_TOKENIZE_13A_H
#define DATASETS_TOKENIZE_13A_H

#include <stdbool.h>

#include "base/text.h"

/* White space as Python's str.split() has it: Unicode's, and 0x1c to 0x1f. */
bool white_space(uint32_t code);

/* The words of a line of UTF-8 with one blank between them, added to `out`. In this order:
 *   1. white space at the end is cut, "<skipped>" and a hyphen before a line's end are removed, a line's end is a blank
 *   2. &quot; &amp; &lt; &gt; are the characters they stand for, one after the other ("&amp;lt;" is "<")
 *   3. ASCII's punctuation but ' , - . stands alone
 *   4. a full stop or comma stands alone unless a digit is before it, then unless a digit is behind it
 *   5. a hyphen behind a digit stands alone
 *   6. words are what white space separates */
void tokenize_13a(const char *line, size_t length, Text *out);

#endif
