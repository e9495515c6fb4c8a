/* Tokenizers: text to ids and back. Each is one row of a table in tokenizer.c; adding one is adding a row.
 *
 *   char   ids are the code points that occur in the text, in code-point order (65 for tiny Shakespeare)
 *   byte   ids are the 256 byte values, whatever the text */
#ifndef DATASETS_TOKENIZER_H
#define DATASETS_TOKENIZER_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/sha256.h"
#include "base/text.h"

struct TokenizerKind;

typedef struct {
    const struct TokenizerKind *kind;
    int vocab;               /* ids are 0 .. vocab-1 */
    uint32_t *codes;         /* [vocab] ascending: code points (char) or byte values (byte) */
    uint8_t *bytes;          /* [vocab] length of each token in the text, bytes */
    char sha256[SHA256_HEX]; /* of the kind's name and each code in decimal, one per line */
} Tokenizer;

typedef struct TokenizerKind {
    const char *name, *about;
    /* Fills codes, bytes and vocab from a whole text. */
    Rc (*learn)(Tokenizer *t, const uint8_t *text, size_t length, Error *e);
    /* tokens[length] has room for one token per byte; *count receives how many were written. */
    Rc (*encode)(const Tokenizer *t, const uint8_t *text, size_t length, int32_t *tokens, size_t *count, Error *e);
    /* Appends one token's bytes to out. */
    void (*decode)(const Tokenizer *t, int32_t token, Text *out);
} TokenizerKind;

/* The table; *count receives the number of rows. */
const TokenizerKind *tokenizer_kinds(size_t *count);

/* The row called `name`, or NULL with RC_USAGE and a line that gives the nearest. */
const TokenizerKind *tokenizer_kind(const char *name, Error *e);

/* The tokenizer called `name`, with the vocabulary of text[length]. RC_USAGE: no such name (the line gives
 * the nearest), or a text that the tokenizer does not take (char: not UTF-8; the line gives the byte offset,
 * counted from 0). On error *t needs no release. */
Rc tokenizer_init(Tokenizer *t, const char *name, const uint8_t *text, size_t length, Error *e);
void tokenizer_release(Tokenizer *t);

/* Text to ids: tokens[length] has room for one token per byte, *count receives how many were written.
 * RC_USAGE: not UTF-8, or a code point outside the vocabulary (the line names it and its byte offset). */
Rc tokenizer_encode(const Tokenizer *t, const uint8_t *text, size_t length, int32_t *tokens, size_t *count, Error *e);

/* Appends the bytes of tokens[count] to out; ids outside the vocabulary (a target of -1) are skipped. */
void tokenizer_decode(const Tokenizer *t, const int32_t *tokens, size_t count, Text *out);

/* The code point that begins text[length] (length > 0) in *code; returns its bytes, 1 to 4, or 0 when no
 * well-formed UTF-8 begins there (overlong forms, surrogates and values above 10FFFF are not well formed). */
size_t utf8_next(const uint8_t *text, size_t length, uint32_t *code);

#endif
