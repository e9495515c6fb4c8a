#include "base/utf8.h"

#include <string.h>

size_t utf8_next(const uint8_t *text, size_t length, uint32_t *code) {
    uint8_t lead = text[0];
    if (lead < 0x80) {
        *code = lead;
        return 1;
    }
    size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4 || length < bytes) return 0;
    uint32_t value = lead & (0x7fu >> bytes);
    for (size_t i = 1; i < bytes; i++) {
        if ((text[i] & 0xc0) != 0x80) return 0;
        value = value << 6 | (text[i] & 0x3f);
    }
    static const uint32_t LEAST[] = {0, 0, 0x80, 0x800, 0x10000};
    if (value < LEAST[bytes] || value >= 0x110000 || (value >= 0xd800 && value < 0xe000)) return 0;
    *code = value;
    return bytes;
}

size_t utf8_fitting(const char *text, size_t most) {
    size_t n = strnlen(text, most);
    while (n && text[n] && ((unsigned char)text[n] & 0xc0) == 0x80) n--;
    return n;
}
