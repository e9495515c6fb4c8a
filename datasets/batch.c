/* Make the batches of training and validation from a dataset; see dataset.h. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/philox.h"
#include "datasets/dataset.h"
#include "datasets/shards.h"

void dataset_tokens(const Dataset *d, size_t first, size_t count, int32_t *out) {
    assert(first + count <= d->train + d->valid);
    if (d->shards)
        shards_read(d->shards, first, count, out);
    else
        memcpy(out, d->tokens + first, count * sizeof *out);
}

bool dataset_failed(const Dataset *d, Error *e) {
    return d->shards && shards_failed(d->shards, e);
}

/* Return an integer in [0, n): the high half of the 64-bit word times n, by halves of n. */
static uint64_t below(uint64_t word, uint64_t n) {
    uint64_t low = (uint32_t)n, high = n >> 32, mid = (word >> 32) * low;
    uint64_t carry = (((uint32_t)word * low) >> 32) + (uint32_t)mid;
    uint64_t cross = (uint32_t)word * high;
    carry += (uint32_t)cross;
    return (word >> 32) * high + (mid >> 32) + (cross >> 32) + (carry >> 32);
}

void dataset_batch_starts(const Dataset *d, uint64_t seed, uint64_t step, int batch, int context, uint64_t *starts) {
    assert(batch > 0 && context > 0 && d->train > (size_t)context);
    uint64_t stream = name_stream("batch"), low = name_stream("batch.low");
    /* the last crop's last target is the last token */
    uint64_t choices = d->train - (size_t)context;
    for (int b = 0; b < batch; b++) {
        uint64_t at = philox_offset(step, (uint64_t)b);
        uint32_t word = philox_word(seed, stream, at);
        starts[b] = choices <= UINT32_MAX ? philox_below(word, (uint32_t)choices)
                                          : below((uint64_t)word << 32 | philox_word(seed, low, at), choices);
    }
}

/* Fill row b of every feed that is cut from a text: from a crop, or (NULL) with padding. */
static void fill_row(const int32_t *crop, int b, int context, const FeedRoom *feed, int feeds) {
    size_t width = (size_t)context;
    for (int f = 0; f < feeds; f++) {
        const FeedInfo *info = feed_find(feed[f].name);
        if (!info) continue;
        assert(feed[f].rows % context == 0 && b < feed[f].rows / context && info->shift <= 1);
        int32_t *row = feed[f].ids + (size_t)b * width;
        if (crop)
            memcpy(row, crop + info->shift, width * sizeof *row);
        else
            for (size_t i = 0; i < width; i++) row[i] = info->absent;
    }
}

void dataset_batch(const Dataset *d, uint64_t seed, uint64_t step, int batch, int context, const FeedRoom *feed,
                   int feeds) {
    OWNED uint64_t *starts = mem_alloc((size_t)batch, sizeof *starts);
    OWNED int32_t *crop = mem_alloc((size_t)context + 1, sizeof *crop);
    dataset_batch_starts(d, seed, step, batch, context, starts);
    for (int b = 0; b < batch; b++) {
        dataset_tokens(d, starts[b], (size_t)context + 1, crop);
        fill_row(crop, b, context, feed, feeds);
    }
}

size_t dataset_windows(const Dataset *d, int context) {
    assert(context > 0);
    return d->valid ? (d->valid - 1) / (size_t)context : 0;
}

size_t dataset_dropped(const Dataset *d, int context) {
    return d->valid ? d->valid - 1 - dataset_windows(d, context) * (size_t)context : 0;
}

int dataset_windows_fill(const Dataset *d, size_t first, int batch, int context, const FeedRoom *feed, int feeds) {
    size_t windows = dataset_windows(d, context);
    OWNED int32_t *crop = mem_alloc((size_t)context + 1, sizeof *crop);
    int real = 0;
    for (int b = 0; b < batch; b++) {
        size_t window = first + (size_t)b;
        bool there = window < windows;
        if (there) dataset_tokens(d, d->train + window * (size_t)context, (size_t)context + 1, crop);
        fill_row(there ? crop : NULL, b, context, feed, feeds);
        real += there;
    }
    return real;
}

size_t dataset_target_bytes(const Dataset *d, const int32_t *targets, size_t count) {
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        if (targets[i] >= 0) bytes += d->token_bytes[targets[i]];
    return bytes;
}
