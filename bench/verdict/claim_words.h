/* Claim words: what may be said of a claim, by the rows of bench/verdict/verdict_words.def. */
#ifndef BENCH_VERDICT_CLAIM_WORDS_H
#define BENCH_VERDICT_CLAIM_WORDS_H

#include <stdbool.h>

typedef enum {
#define VERDICT(id, code, words, meaning) WORD_##id,
#include "bench/verdict/verdict_words.def"
#undef VERDICT
    WORD_COUNT
} VerdictWord;

const char *verdict_word(VerdictWord w);    /* for a reader: "not decided" */
const char *verdict_code(VerdictWord w);    /* in JSON and class names, never changed: "inconclusive" */
const char *verdict_meaning(VerdictWord w); /* one line */

/* The word of a code; false when no word has it. */
bool verdict_of_code(const char *code, VerdictWord *out);

/* Whether a test decided: for, against, or that it is too small to matter. */
bool verdict_made(VerdictWord w);

#endif
