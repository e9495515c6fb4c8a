#include "datasets/masking.h"

#include <assert.h>
#include <string.h>

#include "base/philox.h"

enum { WORDS = 4 /* draws per token: choose it, replacement, token, and for a row's first: place */ };

/* Draws of a row: word k of token i. */
typedef struct {
    uint64_t seed, stream, step, first;
} Draws;

static uint32_t draw(const Draws *from, int i, int k) {
    return philox_word(from->seed, from->stream,
                       philox_offset(from->step, from->first + (uint64_t)i * WORDS + (uint64_t)k));
}

/* Return true if a word, as a fraction of 2^32, is below percent / 100. */
static bool below(uint32_t word, uint32_t percent) {
    return (uint64_t)word * 100 < (uint64_t)percent << 32;
}

static int32_t hidden(const Draws *from, int i, int vocab, int32_t token) {
    uint32_t how = draw(from, i, 1);
    if (below(how, 80)) return vocab;
    return below(how, 90) ? (int32_t)philox_below(draw(from, i, 2), (uint32_t)vocab) : token;
}

static int count_chosen(const Draws *from, int context) {
    int chosen = 0;
    for (int i = 0; i < context; i++) chosen += below(draw(from, i, 0), 15);
    return chosen;
}

static void mask_row(const Draws *from, int vocab, int context, int32_t *token, int32_t *target) {
    int lone = count_chosen(from, context) ? -1 : (int)philox_below(draw(from, 0, 3), (uint32_t)context);
    for (int i = 0; i < context; i++) {
        target[i] = -1;
        if (lone >= 0 ? i != lone : !below(draw(from, i, 0), 15)) continue;
        target[i] = token[i];
        token[i] = hidden(from, i, vocab, token[i]);
    }
}

static int32_t *ids(const char *name, const FeedRoom *feed, int feeds) {
    for (int f = 0; f < feeds; f++)
        if (!strcmp(feed[f].name, name)) return feed[f].ids;
    assert(!"a masked model reads tokens and targets");
    return NULL;
}

/* Mask all rows. of: the draws of row 0; each row's follow `next` steps and `apart` words after the previous one's. */
static void mask(Draws of, uint64_t next, uint64_t apart, int vocab, int batch, int context, const FeedRoom *feed,
                 int feeds) {
    int32_t *tokens = ids("tokens", feed, feeds), *targets = ids("targets", feed, feeds);
    for (int b = 0; b < batch; b++, of.step += next, of.first += apart) {
        size_t at = (size_t)b * (size_t)context;
        if (targets[at] >= 0) mask_row(&of, vocab, context, tokens + at, targets + at);
    }
}

void masking_batch(int vocab, uint64_t seed, uint64_t step, int batch, int context, const FeedRoom *feed, int feeds) {
    Draws of = {.seed = seed, .stream = name_stream("mask"), .step = step};
    mask(of, 0, (uint64_t)context * WORDS, vocab, batch, context, feed, feeds);
}

void masking_windows(int vocab, size_t first, int batch, int context, const FeedRoom *feed, int feeds) {
    Draws of = {.stream = name_stream("mask.valid"), .step = first};
    mask(of, 1, 0, vocab, batch, context, feed, feeds);
}

int masking_window_targets(size_t window, int tokens) {
    Draws of = {.stream = name_stream("mask.valid"), .step = window};
    int chosen = count_chosen(&of, tokens);
    return chosen ? chosen : 1;
}
