#include "datasets/tokenizer.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { CODE_POINTS = 0x110000, ASCII = 128 };

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
    if (value < LEAST[bytes] || value >= CODE_POINTS || (value >= 0xd800 && value < 0xe000)) return 0;
    *code = value;
    return bytes;
}

static size_t utf8_bytes(uint32_t code) {
    return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
}

static Rc not_utf8(const uint8_t *text, size_t length, size_t at, Error *e) {
    bool wide = length >= 2 && ((text[0] == 0xff && text[1] == 0xfe) || (text[0] == 0xfe && text[1] == 0xff));
    return error_set(e, RC_USAGE, "not UTF-8 at byte offset %zu (byte 0x%02x)%s: convert it, or use the byte tokenizer",
                     at, text[at], wide ? ", it looks like UTF-16" : "");
}

static void vocabulary(Tokenizer *t, int vocab) {
    t->vocab = vocab;
    t->codes = mem_alloc((size_t)vocab, sizeof *t->codes);
    t->bytes = mem_alloc((size_t)vocab, sizeof *t->bytes);
}

/* char: one bit per code point that occurs, then a sweep in code-point order. */
static Rc char_learn(Tokenizer *t, const uint8_t *text, size_t length, Error *e) {
    uint32_t bytes[256] = {0}; /* which byte values occur: all that an ASCII text needs to know */
    bool wide = false;
    for (size_t at = 0; at < length; at++) bytes[text[at]] = 1;
    for (int i = ASCII; i < 256; i++) wide |= bytes[i];
    uint64_t *seen = mem_alloc(CODE_POINTS / 64, sizeof *seen);
    for (uint32_t code = 0; code < ASCII; code++) seen[code / 64] |= (uint64_t)bytes[code] << code % 64;
    for (size_t at = 0, n; wide && at < length; at += n) {
        uint32_t code;
        n = utf8_next(text + at, length - at, &code);
        if (!n) {
            free(seen);
            return not_utf8(text, length, at, e);
        }
        seen[code / 64] |= (uint64_t)1 << code % 64;
    }
    int vocab = 0;
    for (size_t i = 0; i < CODE_POINTS / 64; i++) vocab += __builtin_popcountll(seen[i]);
    vocabulary(t, vocab);
    for (uint32_t code = 0, id = 0; id < (uint32_t)vocab; code++) {
        if (!(seen[code / 64] >> code % 64 & 1)) continue;
        t->codes[id] = code;
        t->bytes[id++] = (uint8_t)utf8_bytes(code);
    }
    free(seen);
    return RC_OK;
}

/* The id of a code, or -1: binary search in the ascending codes. */
static int32_t find_code(const Tokenizer *t, uint32_t code) {
    int low = 0, high = t->vocab;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (t->codes[middle] < code)
            low = middle + 1;
        else
            high = middle;
    }
    return low < t->vocab && t->codes[low] == code ? low : -1;
}

static Rc char_encode(const Tokenizer *t, const uint8_t *text, size_t length, int32_t *tokens, size_t *count,
                      Error *e) {
    int32_t ascii[ASCII];
    for (uint32_t code = 0; code < ASCII; code++) ascii[code] = find_code(t, code);
    size_t written = 0;
    for (size_t at = 0, n; at < length; at += n) {
        for (; at < length && text[at] < ASCII && ascii[text[at]] >= 0; at++) tokens[written++] = ascii[text[at]];
        if (at == length) break;
        uint32_t code;
        n = utf8_next(text + at, length - at, &code);
        if (!n) return not_utf8(text, length, at, e);
        int32_t id = find_code(t, code);
        if (id < 0)
            return error_set(e, RC_USAGE, "code point U+%04X at byte offset %zu is not in the vocabulary", code, at);
        tokens[written++] = id;
    }
    *count = written;
    return RC_OK;
}

static void char_decode(const Tokenizer *t, int32_t token, Text *out) {
    uint32_t code = t->codes[token];
    size_t n = t->bytes[token];
    char bytes[4];
    for (size_t i = n - 1; i > 0; i--, code >>= 6) bytes[i] = (char)(0x80 | (code & 0x3f));
    bytes[0] = (char)(n == 1 ? code : (0xf00u >> n & 0xffu) | code);
    text_add(out, bytes, n);
}

static Rc byte_learn(Tokenizer *t, const uint8_t *text, size_t length, Error *e) {
    (void)text, (void)length, (void)e;
    vocabulary(t, 256);
    for (uint32_t i = 0; i < 256; i++) {
        t->codes[i] = i;
        t->bytes[i] = 1;
    }
    return RC_OK;
}

static Rc byte_encode(const Tokenizer *t, const uint8_t *text, size_t length, int32_t *tokens, size_t *count,
                      Error *e) {
    (void)t, (void)e;
    for (size_t i = 0; i < length; i++) tokens[i] = text[i];
    *count = length;
    return RC_OK;
}

static void byte_decode(const Tokenizer *t, int32_t token, Text *out) {
    (void)t;
    char byte = (char)token;
    text_add(out, &byte, 1);
}

static const TokenizerKind KINDS[] = {
    {"char", "code points of the text, in code-point order", char_learn, char_encode, char_decode},
    {"byte", "the 256 byte values", byte_learn, byte_encode, byte_decode},
};

enum { KIND_COUNT = sizeof KINDS / sizeof KINDS[0] };

const TokenizerKind *tokenizer_kinds(size_t *count) {
    *count = KIND_COUNT;
    return KINDS;
}

static void hash_vocabulary(Tokenizer *t) {
    Text canonical;
    text_init(&canonical);
    text_format(&canonical, "%s\n", t->kind->name);
    for (int i = 0; i < t->vocab; i++) text_format(&canonical, "%u\n", (unsigned)t->codes[i]);
    sha256_hex_of(t->sha256, canonical.at, canonical.length);
    text_release(&canonical);
}

const TokenizerKind *tokenizer_kind(const char *name, Error *e) {
    const char *names[KIND_COUNT];
    for (size_t i = 0; i < KIND_COUNT; i++) {
        names[i] = KINDS[i].name;
        if (!strcmp(name, KINDS[i].name)) return &KINDS[i];
    }
    char hint[80];
    error_set(e, RC_USAGE, "unknown tokenizer '%s'%s", name, did_you_mean(hint, sizeof hint, name, names, KIND_COUNT));
    return NULL;
}

Rc tokenizer_init(Tokenizer *t, const char *name, const uint8_t *text, size_t length, Error *e) {
    *t = (Tokenizer){.kind = tokenizer_kind(name, e)};
    if (!t->kind) return RC_USAGE;
    Rc rc = t->kind->learn(t, text, length, e);
    if (rc)
        tokenizer_release(t);
    else
        hash_vocabulary(t);
    return rc;
}

void tokenizer_release(Tokenizer *t) {
    free(t->codes);
    free(t->bytes);
    *t = (Tokenizer){0};
}

Rc tokenizer_encode(const Tokenizer *t, const uint8_t *text, size_t length, int32_t *tokens, size_t *count, Error *e) {
    return t->kind->encode(t, text, length, tokens, count, e);
}

void tokenizer_decode(const Tokenizer *t, const int32_t *tokens, size_t count, Text *out) {
    for (size_t i = 0; i < count; i++)
        if (tokens[i] >= 0 && tokens[i] < t->vocab) t->kind->decode(t, tokens[i], out);
}
