#include "bench/store/feeding.h"

#include <stdlib.h>

#include "datasets/masking.h"

static bool translates(const RunSpec *s) {
    return s->objective == OBJECTIVE_TRANSLATE;
}

/* Return the packing of sentences for a run that translates. */
static Packing packing_of(const RunSpec *s) {
    return (Packing){(int)s->batch, (int)s->context, s->long_lines == LONG_LINES_TRUNCATE};
}

Rc feed_fits(const RunSpec *s, const Dataset *d, Error *e) {
    Packing how = packing_of(s);
    if (!translates(s)) return dataset_fits(d, (int)s->batch, (int)s->context, e);
    if (d->pairs) return pairs_fit(d, &how, e);
    return error_set(e, RC_USAGE,
                     "objective: translate needs sentence pairs, and '%s' is one text; multi30k-de-en, or "
                     "text:SOURCE,TARGET with your own two files",
                     d->name);
}

void feed_step(Trainer *t, int replica, const Dataset *d, const RunSpec *s, uint64_t seed, uint64_t step) {
    FeedRoom room[TRAINER_FEEDS_MAX];
    Packing how = packing_of(s);
    int feeds = trainer_feeds(t, replica, room);
    if (translates(s))
        pairs_batch(d, seed, step, &how, room, feeds);
    else
        dataset_batch(d, seed, step, how.batch, how.context, room, feeds);
    if (s->objective == OBJECTIVE_MASKED) masking_batch(d->vocab, seed, step, how.batch, how.context, room, feeds);
}

static int64_t most_pairs(const RunSpec *s, const Dataset *d, uint64_t seed) {
    Packing how = packing_of(s);
    int64_t most = 0;
    for (int64_t step = 0; step < s->steps; step++) {
        int64_t count = (int64_t)pairs_numbers(d, seed, (uint64_t)step, &how, NULL);
        if (count > most) most = count;
    }
    return most;
}

Rc feed_batches(FeedBatches *out, const RunSpec *s, const Dataset *d, Error *e) {
    char objective[SPEC_TEXT_SIZE];
    Packing how = packing_of(s);
    uint64_t seed = spec_order_seed(s);
    if (s->objective == OBJECTIVE_MASKED)
        return error_set(e, RC_USAGE, "--batches: crops alone are not what a run with objective = %s reads",
                         spec_get(objective, s, "objective"));
    int64_t columns = translates(s) ? most_pairs(s, d, seed) : s->batch;
    if (s->steps > (1 << 27) / columns)
        return error_set(e, RC_USAGE, "--batches: %lld steps are too many for one tensor", (long long)s->steps);
    *out = (FeedBatches){mem_alloc((size_t)(s->steps * columns), sizeof *out->number), s->steps, columns};
    for (int64_t step = 0; step < s->steps; step++) {
        int64_t *row = out->number + step * columns;
        if (translates(s)) {
            for (int64_t i = (int64_t)pairs_numbers(d, seed, (uint64_t)step, &how, row); i < columns; i++) row[i] = -1;
        } else {
            dataset_batch_starts(d, seed, (uint64_t)step, how.batch, how.context, (uint64_t *)row);
        }
    }
    return RC_OK;
}

void feed_batches_release(FeedBatches *b) {
    free(b->number);
    *b = (FeedBatches){0};
}

void feed_windows(Trainer *t, int replica, const Dataset *d, const RunSpec *s, size_t first) {
    FeedRoom room[TRAINER_FEEDS_MAX];
    Packing how = packing_of(s);
    int feeds = trainer_feeds(t, replica, room);
    if (translates(s))
        pairs_validation(d, first / (size_t)how.batch, &how, room, feeds);
    else
        dataset_windows_fill(d, first, how.batch, how.context, room, feeds);
    if (s->objective == OBJECTIVE_MASKED) masking_windows(d->vocab, first, how.batch, how.context, room, feeds);
}

size_t feed_window_count(const RunSpec *s, const Dataset *d) {
    Packing how = packing_of(s);
    return translates(s) ? pairs_batches(d, &how) * (size_t)how.batch : dataset_windows(d, how.context);
}

size_t feed_dropped(const RunSpec *s, const Dataset *d) {
    Packing how = packing_of(s);
    size_t tokens, windows;
    if (s->objective == OBJECTIVE_MASKED && d->valid) {
        windows = dataset_windows(d, how.context);
        return (size_t)masking_window_targets(windows, (int)(d->valid - windows * (size_t)how.context));
    }
    if (!translates(s)) return dataset_dropped(d, how.context);
    pairs_long(d, 1, &how, &tokens);
    return how.cut ? 0 : tokens;
}

bool feed_by_device(const RunSpec *s, const Dataset *d) {
    return s->objective == OBJECTIVE_NEXT && !d->shards;
}

size_t feed_forward(Trainer *t, const Dataset *d, const RunSpec *s, size_t first) {
    int batch = (int)s->batch, context = (int)s->context;
    feed_windows(t, 0, d, s, first);
    trainer_repeat(t);
    trainer_forward(t);
    return dataset_target_bytes(d, trainer_feed(t, "targets", 0), (size_t)batch * (size_t)context);
}
