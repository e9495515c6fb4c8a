#include "datasets/bpe.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "datasets/bpe_sentencepiece.h"

enum { BLANK_MARK = 0x2581 };

static Rc takes(const uint8_t *text, size_t length, Error *e) {
    for (size_t at = 0, n; at < length; at += n) {
        uint32_t code = text[at];
        n = code < 0x80 ? 1 : utf8_next(text + at, length - at, &code);
        if (!n) return utf8_refused(text, length, at, e);
        if (code == BLANK_MARK)
            return error_set(
                e, RC_USAGE,
                "U+2581 at byte offset %zu: the bpe tokenizer writes a blank as this character; remove it, "
                "or use the byte tokenizer",
                at);
    }
    return RC_OK;
}

/* Copy the model's pieces, their bytes one after the other, to t->text. */
static void adopt(Tokenizer *t) {
    Text all;
    text_init(&all);
    tokenizer_reserve(t, bpe_pieces(t->model));
    for (int id = 0; id < t->vocab; id++) {
        char piece[BPE_PIECE_MAX];
        size_t length;
        bpe_piece(t->model, id, piece, &length);
        assert(length <= UINT8_MAX);
        t->codes[id] = (uint32_t)all.length;
        t->bytes[id] = (uint8_t)length;
        text_add(&all, piece, length);
    }
    t->text = all.at;
}

/* Return the number after the last `mark` in the library's line, or 0. */
static int number_behind(const char *line, const char *mark) {
    int number = 0;
    const char *at = strstr(line, mark);
    return at && sscanf(at + strlen(mark), "%d", &number) == 1 ? number : 0;
}

static Rc unsupported(const Tokenizer *t, const BpeProblem *why, Error *e) {
    int most = number_behind(why->text, "Please set it to a value <= "), least = number_behind(why->text, " vs ");
    if (strstr(why->text, "sentences_.empty()") || (most && most < BPE_PIECES_LEAST))
        return error_set(e, RC_USAGE,
                         "tokenizer %s: the training text holds nothing to make pieces of; char and byte take it",
                         t->name);
    if (most)
        return error_set(e, RC_USAGE,
                         "tokenizer %s: the training text supports no vocabulary of %d pieces; the largest is %d: use "
                         "bpe:%d",
                         t->name, t->vocab, most, most);
    if (least && strstr(why->text, "required_chars"))
        return error_set(
            e, RC_USAGE,
            "tokenizer %s: the characters of the training text and the 256 bytes need %d pieces, more than "
            "%d: use bpe:%d or more",
            t->name, least, t->vocab, least);
    return error_set(e, RC_USAGE, "tokenizer %s: sentencepiece %s cannot train on this text: %s", t->name,
                     bpe_version(), why->text);
}

Rc bpe_learn(Tokenizer *t, const uint8_t *text, size_t length, size_t train, Error *e) {
    Rc rc = takes(text, length, e);
    if (rc) return rc;
    BpeProblem why;
    t->model = bpe_train((const char *)text, train, t->vocab, &why);
    if (!t->model) return unsupported(t, &why, e);
    assert(bpe_pieces(t->model) == t->vocab);
    adopt(t);
    return RC_OK;
}

Rc bpe_restore(Tokenizer *t, const void *model, size_t length, Error *e) {
    BpeProblem why;
    t->model = bpe_load(model, length, &why);
    if (!t->model) return error_set(e, RC_INTEGRITY, "no tokenizer model: %s", why.text);
    if (bpe_pieces(t->model) != t->vocab)
        return error_set(e, RC_INTEGRITY, "a tokenizer model of %d pieces, not of %d", bpe_pieces(t->model), t->vocab);
    adopt(t);
    return RC_OK;
}

Rc bpe_encode(const Tokenizer *t, const uint8_t *text, size_t length, int32_t *tokens, size_t *count, Error *e) {
    Rc rc = takes(text, length, e);
    if (rc) return rc;
    BpeProblem why;
    if (bpe_encode_text(t->model, (const char *)text, length, tokens, count, &why)) return RC_OK;
    return error_set(e, RC_UNMEASURED, "tokenizer %s: sentencepiece %s cannot encode this text: %s", t->name,
                     bpe_version(), why.text);
}

void bpe_decode(const Tokenizer *t, int32_t token, Text *out) {
    text_add(out, t->text + t->codes[token], t->bytes[token]);
}

void bpe_spell(const Tokenizer *t, int32_t token, Text *out) {
    char piece[BPE_PIECE_MAX];
    size_t length;
    text_format(out, "%c ", bpe_piece(t->model, token, piece, &length));
    for (size_t i = 0; i < length; i++) text_format(out, "%02x", (unsigned char)piece[i]);
}
