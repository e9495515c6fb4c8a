/* Tokenizers: convert text to ids and back. Each is one row of a table in tokenizer.c.
 *
 *   char    ids are the code points that occur in the text, in code-point order (65 for tiny Shakespeare)
 *   byte    ids are the 256 byte values
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

enum { TOKENIZER_NAME = 16 }; /* bytes for a name in canonical spelling */

typedef struct {
    const struct TokenizerKind *kind;
    char name[TOKENIZER_NAME]; /* "char", "byte", "bpe", "bpe:4096" */
    int vocab;                 /* ids are 0 .. vocab-1 */
    uint32_t *codes;           /* [vocab] ascending: code points (char), byte values (byte), places in text (bpe) */
    uint8_t *bytes;            /* [vocab] length of each token in the text, bytes */
    char *text;                /* bpe: the bytes of all pieces */
    struct BpeModel *model;    /* bpe */
    char sha256[SHA256_HEX];   /* hash of the kind's name and each token as its kind spells it, one per line */
} Tokenizer;

typedef struct TokenizerKind {
    const char *name, *about;
    int pieces; /* default size of the vocabulary; 0: the text decides */
    /* Fill codes, bytes and vocab from text[length]. A kind with `pieces` trains on text[0, train) only. */
    Rc (*learn)(Tokenizer *t, const uint8_t *text, size_t length, size_t train, Error *e);
    /* tokens[length] has room for one token per byte; *count receives how many were written. */
    Rc (*encode)(const Tokenizer *t, const uint8_t *text, size_t length, int32_t *tokens, size_t *count, Error *e);
    /* Appends one token's bytes to out. */
    void (*decode)(const Tokenizer *t, int32_t token, Text *out);
    /* Append a token's spelling, of which the vocabulary's hash is made. */
    void (*spell)(const Tokenizer *t, int32_t token, Text *out);
} TokenizerKind;

/* Return the table, of *count rows. */
const TokenizerKind *tokenizer_kinds(size_t *count);

/* Set *t to an empty tokenizer of that name: kind, canonical name ("bpe:1664" is "bpe") and, for a kind with pieces,
 * vocab. RC_USAGE: no such name (the line gives the nearest), or an invalid size. */
Rc tokenizer_named(Tokenizer *t, const char *name, Error *e);

/* Check a name like tokenizer_named; RC_UNMEASURED: this build lacks the tokenizer. */
Rc tokenizer_ready(const char *name, Error *e);

/* Make the tokenizer called `name`, with the vocabulary of text[length], of which text[0, train) is the training part.
 * Codes of tokenizer_ready, and RC_USAGE: the tokenizer does not take the text (char, bpe: not UTF-8; the line gives
 * the byte offset, from 0), or the text does not support that vocabulary. On error *t needs no release. */
Rc tokenizer_init(Tokenizer *t, const char *name, const uint8_t *text, size_t length, size_t train, Error *e);

/* Make a trained tokenizer from its model (bpe_serialized). RC_INTEGRITY: invalid. On error *t needs no release. */
Rc tokenizer_restore(Tokenizer *t, const char *name, const void *model, size_t length, Error *e);

/* Make a tokenizer of characters or bytes from its vocabulary (tokenizer_vocabulary). RC_INTEGRITY: invalid;
 * RC_UNMEASURED: a vocabulary of pieces, which does not say how a text is cut. On error *t needs no release. */
Rc tokenizer_of_vocabulary(Tokenizer *t, const char *text, Error *e);

void tokenizer_release(Tokenizer *t);

/* Encode into tokens[length], which has room for one token per byte; *count: tokens written. RC_USAGE: not UTF-8, or a
 * code point outside the vocabulary (the line names it and its byte offset). */
Rc tokenizer_encode(const Tokenizer *t, const uint8_t *text, size_t length, int32_t *tokens, size_t *count, Error *e);

/* Append the bytes of tokens[count] to out; skip ids outside the vocabulary (a target of -1). */
void tokenizer_decode(const Tokenizer *t, const int32_t *tokens, size_t count, Text *out);

/* Append the vocabulary as text: the kind's name, then each token as its kind spells it, one per line. Its SHA-256 is
 * t->sha256. */
void tokenizer_vocabulary(const Tokenizer *t, Text *out);

/* For kinds: refuse text[at]; allocate for vocab tokens. */
Rc utf8_refused(const uint8_t *text, size_t length, size_t at, Error *e);
void tokenizer_reserve(Tokenizer *t, int vocab);

#endif
