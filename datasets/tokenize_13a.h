/* Tokenizer "13a" of sacreBLEU (Post 2018), from NIST's mteval-v13a.pl: it gives BLEU's words. */
#ifndef DATASETS_TOKENIZE_13A_H
#define DATASETS_TOKENIZE_13A_H

#include <stdbool.h>

#include "base/text.h"

/* Return true for white space of Python's str.split(): Unicode's, and 0x1c to 0x1f. */
bool white_space(uint32_t code);

/* Append the words of a line of UTF-8 to `out`, with one blank between them. In this order:
 *   1. white space at the end is cut, "<skipped>" and a hyphen before a line's end are removed, a line's end is a blank
 *   2. &quot; &amp; &lt; &gt; are replaced by their characters, one after the other ("&amp;lt;" is "<")
 *   3. ASCII punctuation but ' , - . becomes a word
 *   4. a full stop or comma becomes a word unless a digit precedes it, then unless a digit follows it
 *   5. a hyphen after a digit becomes a word
 *   6. white space separates words */
void tokenize_13a(const char *line, size_t length, Text *out);

#endif
