#include "bench/run/feeding.h"

#include "datasets/masking.h"

void feed_step(Trainer *t, int replica, const Dataset *d, const RunSpec *s, uint64_t seed, uint64_t step) {
    FeedRoom room[TRAINER_MOST_FEEDS];
    int feeds = trainer_feeds(t, replica, room), batch = (int)s->batch, context = (int)s->context;
    dataset_batch(d, seed, step, batch, context, room, feeds);
    if (s->objective == OBJECTIVE_MASKED) masking_batch(d->vocab, seed, step, batch, context, room, feeds);
}

int feed_windows(Trainer *t, int replica, const Dataset *d, const RunSpec *s, size_t first) {
    FeedRoom room[TRAINER_MOST_FEEDS];
    int feeds = trainer_feeds(t, replica, room), batch = (int)s->batch, context = (int)s->context;
    int real = dataset_windows_fill(d, first, batch, context, room, feeds);
    if (s->objective == OBJECTIVE_MASKED) masking_windows(d->vocab, first, batch, context, room, feeds);
    return real;
}

bool feed_by_device(const RunSpec *s, const Dataset *d) {
    return s->objective == OBJECTIVE_NEXT && !d->shards;
}
