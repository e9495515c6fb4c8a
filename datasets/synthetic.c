#include "datasets/synthetic.h"

#include <math.h>
#include <string.h>

#include "base/philox.h"
#include "base/sha256.h"

enum { S = SYNTHETIC_SYMBOLS, J = SYNTHETIC_TARGETS, SEED = 1 };

static const char SYMBOLS[] = "\n .0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/* Weights in 256ths, skewed like a letter's successors; they sum to 256, so one random byte is one draw. */
static const uint8_t WEIGHT[J] = {80, 48, 32, 24, 16, 12, 10, 8, 6, 5, 4, 3, 3, 2, 2, 1};

_Static_assert(sizeof SYMBOLS - 1 == S, "one character per symbol");

/* Parameters of the chain: three shuffles of 0..64, of which `step` uses the first J, and the start. */
typedef struct {
    uint8_t rank[S], order[S], step[S], start;
} Law;

/* Fill at[0..64] with a Fisher-Yates shuffle of 0..64, drawn from words first, first+1, … of the stream. */
static void shuffle(uint8_t at[S], uint64_t stream, uint64_t first) {
    for (int i = 0; i < S; i++) at[i] = (uint8_t)i;
    for (int i = S - 1; i > 0; i--) {
        uint32_t k = philox_below(philox_word(SEED, stream, first + (uint64_t)i), (uint32_t)i + 1);
        uint8_t held = at[i];
        at[i] = at[k];
        at[k] = held;
    }
}

static void law_init(Law *law) {
    uint64_t stream = name_stream("synthetic.law");
    shuffle(law->rank, stream, 0);
    shuffle(law->order, stream, 128);
    shuffle(law->step, stream, 256);
    law->start = (uint8_t)philox_below(philox_word(SEED, stream, 384), S);
}

void synthetic_fill(uint8_t *bytes, size_t length) {
    Law law;
    law_init(&law);
    uint8_t next[S][256]; /* state, random byte -> state */
    for (int s = 0; s < S; s++)
        for (int j = 0, at = 0; j < J; at += WEIGHT[j++])
            memset(&next[s][at], law.order[(law.rank[s] + law.step[j]) % S], WEIGHT[j]);
    uint64_t stream = name_stream("synthetic.text");
    uint32_t words[4], state = law.start;
    for (size_t n = 0; n < length; n++) {
        if (n % 16 == 0) philox_block(words, SEED, stream, n / 16);
        bytes[n] = (uint8_t)SYMBOLS[state];
        state = next[state][words[n / 4 % 4] >> (8 * (n % 4)) & 255];
    }
}

double synthetic_rate(void) {
    double sum = 0;
    for (int j = 0; j < J; j++) sum += WEIGHT[j] * log(WEIGHT[j]);
    return log(256) - sum / 256;
}
