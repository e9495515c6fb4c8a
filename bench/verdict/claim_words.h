/* Claim words: what may be said of a claim, by the rows of bench/verdict/verdict_words.def. */
#ifndef BENCH_VERDICT_CLAIM_WORDS_H
#define BENCH_VERDICT_CLAIM_WORDS_H

#include "bench/plan/claim.h"

typedef enum {
#define VERDICT(id, words) WORD_##id,
#include "bench/verdict/verdict_words.def"
#undef VERDICT
    WORD_COUNT
} VerdictWord;

const char *verdict_word(VerdictWord w);    /* "not seen here" */

/* What a test showed of what it expects. */
typedef enum {
    SEEN_untested,
    SEEN_unclear, /* these runs cannot tell */
    SEEN_yes,     /* what is expected */
    SEEN_no,      /* the opposite */
    SEEN_nothing  /* no difference that matters */
} Seen;

/* The word of it. own: at the write-up's own size, or by arithmetic. */
VerdictWord claim_word(ClaimKind kind, bool own, Seen seen);

/* Of tests that decide a claim together: shown where each is. */
Seen seen_together(Seen a, Seen b);

#endif
