/* Functions that all kinds of tokenizers share (datasets/tokenizer.h). */
#include "base/plain.h"
#include "datasets/tokenizer.h"

Rc utf8_refused(const uint8_t *text, size_t length, size_t at, Error *e) {
    const char *other = plain_other((const char *)text, length);
    if (other) return error_set(e, RC_USAGE, "not a text file but %s", other);
    bool wide = length >= 2 && ((text[0] == 0xff && text[1] == 0xfe) || (text[0] == 0xfe && text[1] == 0xff));
    return error_set(e, RC_USAGE, "not UTF-8 at byte offset %zu (byte 0x%02x)%s: convert it, or use the byte tokenizer",
                     at, text[at], wide ? ", it looks like UTF-16" : "");
}

void tokenizer_reserve(Tokenizer *t, int vocab) {
    t->vocab = vocab;
    t->codes = mem_alloc((size_t)vocab, sizeof *t->codes);
    t->bytes = mem_alloc((size_t)vocab, sizeof *t->bytes);
}
