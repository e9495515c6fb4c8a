#include "bench/verdict/claim_words.h"

static const char *const rows[WORD_COUNT] = {
#define VERDICT(id, words) [WORD_##id] = words,
#include "bench/verdict/verdict_words.def"
#undef VERDICT
};

const char *verdict_word(VerdictWord w) {
    return rows[w];
}

VerdictWord claim_word(ClaimKind kind, bool own, Seen seen) {
    if (seen == SEEN_untested) return WORD_NOT_TESTED;
    if (seen == SEEN_unclear) return WORD_OPEN;
    if (kind == KIND_question) return WORD_ANSWERED;
    if (seen == SEEN_yes) return own ? WORD_REPRODUCED : WORD_SEEN;
    return own ? WORD_CONTRADICTED : WORD_NOT_SEEN;
}

Seen seen_together(Seen a, Seen b) {
    static const Seen first[] = {SEEN_no, SEEN_nothing, SEEN_untested, SEEN_unclear};
    for (int i = 0; i < 4; i++)
        if (a == first[i] || b == first[i]) return first[i];
    return SEEN_yes;
}
