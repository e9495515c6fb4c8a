/* What a training step and a validation pass read from a dataset; see dataset.h. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/philox.h"
#include "datasets/dataset.h"

void dataset_batch_starts(const Dataset *d, uint64_t seed, uint64_t step, int batch, int context, uint32_t *starts) {
    assert(batch > 0 && context > 0 && d->train > (size_t)context);
    uint64_t stream = name_stream("batch");
    /* The last crop's last target is the last token. */
    uint32_t choices = (uint32_t)(d->train - (size_t)context);
    for (int b = 0; b < batch; b++)
        starts[b] = philox_below(philox_word(seed, stream, philox_offset(step, (uint64_t)b)), choices);
}

/* Row b of every feed that is cut from a text: from a crop, or (NULL) what stands where there is no text. */
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
    uint32_t *starts = mem_alloc((size_t)batch, sizeof *starts);
    dataset_batch_starts(d, seed, step, batch, context, starts);
    for (int b = 0; b < batch; b++) fill_row(d->tokens + starts[b], b, context, feed, feeds);
    free(starts);
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
    const int32_t *valid = d->tokens + d->train;
    int real = 0;
    for (int b = 0; b < batch; b++) {
        size_t window = first + (size_t)b;
        bool there = window < windows;
        fill_row(there ? valid + window * (size_t)context : NULL, b, context, feed, feeds);
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
