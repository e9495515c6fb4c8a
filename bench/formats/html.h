/* Write text in HTML and SVG. */
#ifndef BENCH_FORMATS_HTML_H
#define BENCH_FORMATS_HTML_H

#include "base/text.h"

/* Append text with HTML's special characters escaped; invalid UTF-8 and control characters but line breaks become '?'.
 * */
void html_text(Text *out, const char *text);

#endif
