#include "datasets/tokenizer.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "datasets/bpe.h"
#include "datasets/bpe_sentencepiece.h"

enum { CODE_POINTS = 0x110000, ASCII = 128 };

static size_t utf8_bytes(uint32_t code) {
    return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
}

/* Learn `char`: mark code points that occur, then list them in order. */
static Rc char_learn(Tokenizer *t, const uint8_t *text, size_t length, size_t train, Error *e) {
    (void)train;
    uint32_t bytes[256] = {0}; /* byte values that occur: sufficient for an ASCII text */
    bool wide = false;
    for (size_t at = 0; at < length; at++) bytes[text[at]] = 1;
    for (int i = ASCII; i < 256; i++) wide |= bytes[i];
    OWNED uint64_t *seen = mem_alloc(CODE_POINTS / 64, sizeof *seen);
    for (uint32_t code = 0; code < ASCII; code++) seen[code / 64] |= (uint64_t)bytes[code] << code % 64;
    for (size_t at = 0, n; wide && at < length; at += n) {
        uint32_t code;
        n = utf8_next(text + at, length - at, &code);
        if (!n) return utf8_refused(text, length, at, e);
        seen[code / 64] |= (uint64_t)1 << code % 64;
    }
    int vocab = 0;
    for (size_t i = 0; i < CODE_POINTS / 64; i++) vocab += __builtin_popcountll(seen[i]);
    if (vocab == 1)
        return error_set(e, RC_USAGE,
                         "all of its %zu bytes are one character, again and again: there is nothing to predict",
                         length);
    tokenizer_reserve(t, vocab);
    for (uint32_t code = 0, id = 0; id < (uint32_t)vocab; code++) {
        if (!(seen[code / 64] >> code % 64 & 1)) continue;
        t->codes[id] = code;
        t->bytes[id++] = (uint8_t)utf8_bytes(code);
    }
    return RC_OK;
}

/* Return the id of a code, or -1, by binary search in the ascending codes. */
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
        if (!n) return utf8_refused(text, length, at, e);
        int32_t id = find_code(t, code);
        if (id < 0)
            return error_set(e, RC_USAGE, "code point U+%04X at byte offset %zu is not in the vocabulary", code, at);
        tokens[written++] = id;
    }
    *count = written;
    return RC_OK;
}

static void add_code(uint32_t code, Text *out) {
    size_t n = utf8_bytes(code);
    char bytes[4];
    for (size_t i = n - 1; i > 0; i--, code >>= 6) bytes[i] = (char)(0x80 | (code & 0x3f));
    bytes[0] = (char)(n == 1 ? code : (0xf00u >> n & 0xffu) | code);
    text_add(out, bytes, n);
}

static void char_decode(const Tokenizer *t, int32_t token, Text *out) {
    add_code(t->codes[token], out);
}

static Rc byte_learn(Tokenizer *t, const uint8_t *text, size_t length, size_t train, Error *e) {
    (void)text, (void)length, (void)train, (void)e;
    tokenizer_reserve(t, 256);
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

static void code_spell(const Tokenizer *t, int32_t token, Text *out) {
    text_format(out, "%u", (unsigned)t->codes[token]);
}

static const TokenizerKind KINDS[] = {
    {"char", "code points of the text, in code-point order", 0, char_learn, char_encode, char_decode, code_spell},
    {"byte", "the 256 byte values", 0, byte_learn, byte_encode, byte_decode, code_spell},
    {"bpe", "byte pairs of the training part, 1664 pieces; bpe:N has N", 1664, bpe_learn, bpe_encode, bpe_decode,
     bpe_spell},
};

enum { KIND_COUNT = sizeof KINDS / sizeof KINDS[0] };

/* Limit of pieces; at least one for each byte, for newline, for unknown and of the text. cl100k has 100,277. */
enum { PIECES_MAX = 262144 };

const TokenizerKind *tokenizer_kinds(size_t *count) {
    *count = KIND_COUNT;
    return KINDS;
}

/* Parse what follows the kind's name: nothing, or ":N" for a kind with pieces. */
static Rc read_size(Tokenizer *t, const char *name, const char *rest, Error *e) {
    int64_t pieces = t->kind->pieces;
    if (*rest && !pieces) return error_set(e, RC_USAGE, "tokenizer '%.40s': %s has no size", name, t->kind->name);
    if (*rest && (!parse_integer(rest + 1, &pieces) || pieces < BPE_PIECES_LEAST || pieces > PIECES_MAX))
        return error_set(e, RC_USAGE, "tokenizer '%.40s': the size of its vocabulary is a number from %d to %d", name,
                         BPE_PIECES_LEAST, PIECES_MAX);
    t->vocab = (int)pieces;
    snprintf(t->name, sizeof t->name, "%s", t->kind->name);
    if (pieces != t->kind->pieces) snprintf(t->name, sizeof t->name, "%s:%d", t->kind->name, t->vocab);
    return RC_OK;
}

Rc tokenizer_named(Tokenizer *t, const char *name, Error *e) {
    const char *names[KIND_COUNT];
    size_t length = strcspn(name, ":");
    *t = (Tokenizer){0};
    for (size_t i = 0; i < KIND_COUNT; i++) {
        names[i] = KINDS[i].name;
        if (strlen(names[i]) != length || strncmp(name, names[i], length)) continue;
        t->kind = &KINDS[i];
        return read_size(t, name, name + length, e);
    }
    char hint[80];
    return error_set(e, RC_USAGE, "unknown tokenizer '%.40s'%s", name,
                     did_you_mean(hint, sizeof hint, name, names, KIND_COUNT));
}

Rc tokenizer_ready(const char *name, Error *e) {
    Tokenizer t;
    if (tokenizer_named(&t, name, e)) return e->code;
    if (!t.kind->pieces || bpe_version()) return RC_OK;
    return error_set(e, RC_UNMEASURED,
                     "tokenizer '%s': this build has no sentencepiece; install libsentencepiece-dev and build again",
                     name);
}

void tokenizer_vocabulary(const Tokenizer *t, Text *out) {
    text_format(out, "%s\n", t->kind->name);
    for (int i = 0; i < t->vocab; i++) {
        t->kind->spell(t, i, out);
        text_add(out, "\n", 1);
    }
}

static void hash_vocabulary(Tokenizer *t) {
    LOCAL_TEXT(canonical);
    tokenizer_vocabulary(t, &canonical);
    sha256_hex_of(t->sha256, canonical.at, canonical.length);
}

static Rc settle(Tokenizer *t, Rc rc) {
    if (rc)
        tokenizer_release(t);
    else
        hash_vocabulary(t);
    return rc;
}

Rc tokenizer_init(Tokenizer *t, const char *name, const uint8_t *text, size_t length, size_t train, Error *e) {
    *t = (Tokenizer){0};
    if (tokenizer_ready(name, e) || tokenizer_named(t, name, e)) return e->code;
    return settle(t, t->kind->learn(t, text, length, train, e));
}

Rc tokenizer_restore(Tokenizer *t, const char *name, const void *model, size_t length, Error *e) {
    if (tokenizer_named(t, name, e)) return e->code;
    return settle(t, bpe_restore(t, model, length, e));
}

/* Append the characters whose codes are the lines of a vocabulary; false: a line is no code. */
static bool add_codes(const char *lines, Text *out) {
    for (const char *at = lines; *at;) {
        char line[12];
        int64_t code;
        size_t n = strcspn(at, "\n");
        if (!n || n >= sizeof line || at[n] != '\n') return false;
        memcpy(line, at, n), line[n] = 0;
        if (!parse_integer(line, &code) || code < 0 || code >= CODE_POINTS) return false;
        add_code((uint32_t)code, out);
        at += n + 1;
    }
    return true;
}

/* Learn from a text of the vocabulary's own tokens, which gives the vocabulary. */
Rc tokenizer_of_vocabulary(Tokenizer *t, const char *text, Error *e) {
    char name[TOKENIZER_NAME] = "", hash[SHA256_HEX];
    size_t n = strcspn(text, "\n");
    if (n < sizeof name) memcpy(name, text, n);
    if (!text[n] || tokenizer_named(t, name, e))
        return error_set(e, RC_INTEGRITY, "vocabulary: '%.20s' is no kind of tokenizer", name);
    if (t->kind->pieces)
        return error_set(e, RC_UNMEASURED, "vocabulary: its pieces alone do not say how a text is cut into them");
    LOCAL_TEXT(all);
    Rc rc = RC_OK;
    if (!add_codes(text + n + 1, &all)) rc = error_set(e, RC_INTEGRITY, "vocabulary: a line that is no code point");
    if (!rc) rc = tokenizer_init(t, name, (const uint8_t *)all.at, all.length, all.length, e);
    if (rc || !strcmp(t->sha256, sha256_hex_of(hash, text, strlen(text)))) return rc;
    tokenizer_release(t);
    return error_set(e, RC_INTEGRITY, "vocabulary: not the tokens of kind %s in their order", name);
}

void tokenizer_release(Tokenizer *t) {
    free(t->codes);
    free(t->bytes);
    free(t->text);
    bpe_free(t->model);
    *t = (Tokenizer){0};
}

Rc tokenizer_encode(const Tokenizer *t, const uint8_t *text, size_t length, int32_t *tokens, size_t *count, Error *e) {
    return t->kind->encode(t, text, length, tokens, count, e);
}

void tokenizer_decode(const Tokenizer *t, const int32_t *tokens, size_t count, Text *out) {
    for (size_t i = 0; i < count; i++)
        if (tokens[i] >= 0 && tokens[i] < t->vocab) t->kind->decode(t, tokens[i], out);
}
