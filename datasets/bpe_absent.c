/* Replace sentencepiece in a build without it: no model is made, so functions that take one are never called. */
#include <assert.h>
#include <stdio.h>

#include "datasets/bpe_sentencepiece.h"

const char *bpe_version(void) {
    return NULL;
}

BpeModel *bpe_train(const char *text, size_t length, int pieces, BpeProblem *why) {
    (void)text, (void)length, (void)pieces;
    snprintf(why->text, sizeof why->text, "this build has no sentencepiece");
    return NULL;
}

BpeModel *bpe_load(const char *serialized, size_t length, BpeProblem *why) {
    return bpe_train(serialized, length, 0, why);
}

void bpe_free(BpeModel *m) {
    assert(!m);
}

const char *bpe_serialized(const BpeModel *m, size_t *length) {
    assert(m && !"a model in a build without sentencepiece");
    *length = 0;
    return "";
}

int bpe_pieces(const BpeModel *m) {
    assert(m && !"a model in a build without sentencepiece");
    return 0;
}

char bpe_piece(const BpeModel *m, int id, char out[BPE_PIECE_MAX], size_t *length) {
    assert(m && !"a model in a build without sentencepiece");
    (void)id, (void)out;
    *length = 0;
    return BPE_UNKNOWN;
}

bool bpe_encode_text(const BpeModel *m, const char *text, size_t length, int32_t *tokens, size_t *count,
                     BpeProblem *why) {
    assert(m && !"a model in a build without sentencepiece");
    (void)text, (void)length, (void)tokens, (void)why;
    *count = 0;
    return false;
}
