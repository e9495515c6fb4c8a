/* Functions of the tokenizer `bpe`; see tokenizer.h. */
#ifndef DATASETS_BPE_H
#define DATASETS_BPE_H

#include "datasets/tokenizer.h"

enum { BPE_PIECES_LEAST = 259 }; /* the 256 bytes and sentencepiece's own pieces */

/* Train t->vocab pieces on text[0, train). RC_USAGE: text[length] is not UTF-8 or has U+2581, or the training text does
 * not support that vocabulary (the line names the sizes that it does). */
Rc bpe_learn(Tokenizer *t, const uint8_t *text, size_t length, size_t train, Error *e);
Rc bpe_encode(const Tokenizer *t, const uint8_t *text, size_t length, int32_t *tokens, size_t *count, Error *e);
void bpe_decode(const Tokenizer *t, int32_t token, Text *out);

/* Append "t 20746865": the piece's letter (datasets/bpe_sentencepiece.h) and its bytes in hex. */
void bpe_spell(const Tokenizer *t, int32_t token, Text *out);

/* Fill t from a model's bytes. RC_INTEGRITY: they are no model, or its size is not t->vocab. */
Rc bpe_restore(Tokenizer *t, const void *model, size_t length, Error *e);

#endif
