#include "bench/formats/html.h"

#include <stdint.h>
#include <string.h>

#include "base/utf8.h"
#include "datasets/tokenizer.h"

void html_text(Text *out, const char *text) {
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        uint32_t code;
        size_t n = utf8_next(s, strlen((const char *)s), &code);
        if (!n)
            text_format(out, "?"), n = 1;
        else if (code == 127 || code == 0xFFFE || code == 0xFFFF) /* XML forbids the last two */
            text_format(out, "?");
        else if (*s == '&')
            text_format(out, "&amp;");
        else if (*s == '<')
            text_format(out, "&lt;");
        else if (*s == '>')
            text_format(out, "&gt;");
        else if (*s == '"')
            text_format(out, "&quot;");
        else if (n == 1 && *s < 0x20 && *s != '\n')
            text_format(out, "?");
        else
            text_add(out, (const char *)s, n);
        s += n;
    }
}
