#include "bench/verdict/claim_words.h"

#include <string.h>

static const struct {
    const char *code, *words, *meaning;
} rows[WORD_COUNT] = {
#define VERDICT(id, code, words, meaning) [WORD_##id] = {code, words, meaning},
#include "bench/verdict/verdict_words.def"
#undef VERDICT
};

const char *verdict_word(VerdictWord w) {
    return rows[w].words;
}

const char *verdict_code(VerdictWord w) {
    return rows[w].code;
}

const char *verdict_meaning(VerdictWord w) {
    return rows[w].meaning;
}

bool verdict_of_code(const char *code, VerdictWord *out) {
    for (int w = 0; w < WORD_COUNT; w++) {
        if (strcmp(rows[w].code, code) != 0) continue;
        *out = (VerdictWord)w;
        return true;
    }
    return false;
}

bool verdict_made(VerdictWord w) {
    return w <= WORD_NO_EFFECT;
}
