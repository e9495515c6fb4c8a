#include "bench/run/feeding.h"

#include "datasets/masking.h"

static bool translates(const RunSpec *s) {
    return s->objective == OBJECTIVE_TRANSLATE;
}

Packing feed_packing(const RunSpec *s) {
    return (Packing){(int)s->batch, (int)s->context, s->long_lines == LONG_LINES_TRUNCATE};
}

Rc feed_fits(const RunSpec *s, const Dataset *d, Error *e) {
    Packing how = feed_packing(s);
    if (!translates(s)) return dataset_fits(d, (int)s->batch, (int)s->context, e);
    if (d->pairs) return pairs_fit(d, &how, e);
    return error_set(e, RC_USAGE,
                     "objective: translate needs sentence pairs, and '%s' is one text; multi30k-de-en, or "
                     "text:SOURCE,TARGET with your own two files",
                     d->name);
}

void feed_step(Trainer *t, int replica, const Dataset *d, const RunSpec *s, uint64_t seed, uint64_t step) {
    FeedRoom room[TRAINER_MOST_FEEDS];
    Packing how = feed_packing(s);
    int feeds = trainer_feeds(t, replica, room);
    if (translates(s))
        pairs_batch(d, seed, step, &how, room, feeds);
    else
        dataset_batch(d, seed, step, how.batch, how.context, room, feeds);
    if (s->objective == OBJECTIVE_MASKED) masking_batch(d->vocab, seed, step, how.batch, how.context, room, feeds);
}

void feed_windows(Trainer *t, int replica, const Dataset *d, const RunSpec *s, size_t first) {
    FeedRoom room[TRAINER_MOST_FEEDS];
    Packing how = feed_packing(s);
    int feeds = trainer_feeds(t, replica, room);
    if (translates(s))
        pairs_validation(d, first / (size_t)how.batch, &how, room, feeds);
    else
        dataset_windows_fill(d, first, how.batch, how.context, room, feeds);
    if (s->objective == OBJECTIVE_MASKED) masking_windows(d->vocab, first, how.batch, how.context, room, feeds);
}

size_t feed_window_count(const RunSpec *s, const Dataset *d) {
    Packing how = feed_packing(s);
    return translates(s) ? pairs_batches(d, &how) * (size_t)how.batch : dataset_windows(d, how.context);
}

size_t feed_dropped(const RunSpec *s, const Dataset *d) {
    Packing how = feed_packing(s);
    size_t tokens;
    if (!translates(s)) return dataset_dropped(d, how.context);
    pairs_long(d, 1, &how, &tokens);
    return how.cut ? 0 : tokens;
}

bool feed_by_device(const RunSpec *s, const Dataset *d) {
    return s->objective == OBJECTIVE_NEXT && !d->shards;
}
