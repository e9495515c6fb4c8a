/* Tokenizers: text to ids and back. Each is one row of a table in tokenizer.c; adding one is adding a row.
 *
 *   char    ids are the code points that occur in the text, in code-point order (65 for tiny Shakespeare)
 *   byte    ids are the 256 byte values, whatever the text
 *   bpe     byte-pair encoding by sentencepiece, trained on the training part: 1,664 pieces (13 x 128); bpe:N has N */
#ifndef DATASETS_TOKENIZER_H
#define DATASETS_TOKENIZER_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/sha256.h"
#include "base/text.h"

struct TokenizerKind;
struct BpeModel;

enum { TOKENIZER_NAME = 16 }; /* room for a name in canonical spelling */

typedef struct {
    const struct TokenizerKind *kind;
    char name[TOKENIZER_NAME]; /* "char", "byte", "bpe", "bpe:4096" */
    int vocab;                 /* ids are 0 .. vocab-1 */
    uint32_t *codes;           /* [vocab] ascending: code points (char), byte values (byte), places in text (bpe) */
    uint8_t *bytes;            /* [vocab] length of each token in the text, bytes */
    char *text;                /* bpe: the bytes of all pieces */
    struct BpeModel *model;    /* bpe */
    char sha256[SHA256_HEX];   /* of the kind's name and each token as its kind spells it, one per line */
} Tokenizer;

typedef struct TokenizerKind {
    const char *name, *about;
    int pieces; /* size of the vocabulary unless the name says another; 0: the text decides */
    /* Fills codes, bytes and vocab from text[length]. A kind with `pieces` trains on text[0, train) alone. */
    Rc (*learn)(Tokenizer *t, const uint8_t *text, size_t length, size_t train, Error *e);
    /* tokens[length] has room for one token per byte; *count receives how many were written. */
    Rc (*encode)(const Tokenizer *t, const uint8_t *text, size_t length, int32_t *tokens, size_t *count, Error *e);
    /* Appends one token's bytes to out. */
    void (*decode)(const Tokenizer *t, int32_t token, Text *out);
    /* Appends what the vocabulary's hash knows of a token. */
    void (*spell)(const Tokenizer *t, int32_t token, Text *out);
} TokenizerKind;

/* The table; *count receives the number of rows. */
const TokenizerKind *tokenizer_kinds(size_t *count);

/* *t = an empty tokenizer of that name: kind, canonical name ("bpe:1664" is "bpe") and, for a kind with pieces, vocab.
 * RC_USAGE: no such name (the line gives the nearest), or a size that is none. */
Rc tokenizer_named(Tokenizer *t, const char *name, Error *e);

/* The same checks, and RC_UNMEASURED when this build has no such tokenizer. */
Rc tokenizer_ready(const char *name, Error *e);

/* The tokenizer called `name`, with the vocabulary of text[length], of which text[0, train) is the training part.
 * The codes of tokenizer_ready; RC_USAGE: a text that the tokenizer does not take (char, bpe: not UTF-8; the line gives
 * the byte offset, counted from 0), or that does not support that vocabulary. On error *t needs no release. */
Rc tokenizer_init(Tokenizer *t, const char *name, const uint8_t *text, size_t length, size_t train, Error *e);

/* A trained tokenizer from its model (bpe_serialized). RC_INTEGRITY: no such model. On error *t needs no release. */
Rc tokenizer_restore(Tokenizer *t, const char *name, const void *model, size_t length, Error *e);

/* The tokenizer whose vocabulary (tokenizer_vocabulary) that text is: of characters or bytes. RC_INTEGRITY: it is none;
 * RC_UNMEASURED: one of pieces, which say what a token is, not how a text is cut. On error *t needs no release. */
Rc tokenizer_of_vocabulary(Tokenizer *t, const char *text, Error *e);

void tokenizer_release(Tokenizer *t);

/* Text to ids: tokens[length] has room for one token per byte, *count receives how many were written.
 * RC_USAGE: not UTF-8, or a code point outside the vocabulary (the line names it and its byte offset). */
Rc tokenizer_encode(const Tokenizer *t, const uint8_t *text, size_t length, int32_t *tokens, size_t *count, Error *e);

/* Appends the bytes of tokens[count] to out; ids outside the vocabulary (a target of -1) are skipped. */
void tokenizer_decode(const Tokenizer *t, const int32_t *tokens, size_t count, Text *out);

/* Appends the vocabulary as text: the kind's name, then each token as its kind spells it, one per line. Its SHA-256 is
 * t->sha256. */
void tokenizer_vocabulary(const Tokenizer *t, Text *out);

/* For kinds: the refusal of text[at], and room for vocab tokens. */
Rc utf8_refused(const uint8_t *text, size_t length, size_t at, Error *e);
void tokenizer_reserve(Tokenizer *t, int vocab);

#endif
