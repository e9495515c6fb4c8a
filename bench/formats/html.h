/* Text inside HTML and SVG. */
#ifndef BENCH_FORMATS_HTML_H
#define BENCH_FORMATS_HTML_H

#include "base/text.h"

/* Text with what HTML minds escaped; bytes that are not UTF-8, and control characters but the line break, as '?'. */
void html_text(Text *out, const char *text);

#endif
