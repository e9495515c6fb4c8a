/* sentencepiece behind a C interface: bpe_sentencepiece.cc, or bpe_absent.c in a build without the library.
 *
 * The settings are fixed: byte-pair encoding, identity normalization, byte fallback, the newline a user-defined symbol,
 * no dummy prefix, no blank removed, every character of the training text a piece, one thread, no sentence, padding or
 * other control pieces; id 0 ("unknown") never occurs. Texts are UTF-8 without U+2581, which stands for the blank. */
#ifndef DATASETS_BPE_SENTENCEPIECE_H
#define DATASETS_BPE_SENTENCEPIECE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct BpeModel BpeModel;

enum { BPE_PIECE_MAX = 64 }; /* bytes of a piece: 16 code points */

/* Letters of the kinds of pieces. */
enum { BPE_UNKNOWN = 'u', BPE_NEWLINE = 'n', BPE_BYTE = 'b', BPE_TEXT = 't' };

typedef struct {
    char text[512]; /* the library's message */
} BpeProblem;

/* Return the version ("0.1.97"); NULL: this build has no sentencepiece. */
const char *bpe_version(void);

/* Train a model of `pieces` pieces on text[length], or load a serialized one. NULL: see *why. */
BpeModel *bpe_train(const char *text, size_t length, int pieces, BpeProblem *why);
BpeModel *bpe_load(const char *serialized, size_t length, BpeProblem *why);
void bpe_free(BpeModel *m);

/* Return the model's bytes, for bpe_load; they live as long as m. */
const char *bpe_serialized(const BpeModel *m, size_t *length);

int bpe_pieces(const BpeModel *m);

/* Write a piece's bytes to out[*length]; return its letter. */
char bpe_piece(const BpeModel *m, int id, char out[BPE_PIECE_MAX], size_t *length);

/* Encode into tokens[length], which has room for one token per byte; *count: tokens written. false: see *why. */
bool bpe_encode_text(const BpeModel *m, const char *text, size_t length, int32_t *tokens, size_t *count,
                     BpeProblem *why);

#ifdef __cplusplus
}
#endif

#endif
