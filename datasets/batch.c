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

static void copy_row(const int32_t *from, int context, int32_t *inputs, int32_t *targets) {
    memcpy(inputs, from, (size_t)context * sizeof *inputs);
    memcpy(targets, from + 1, (size_t)context * sizeof *targets);
}

void dataset_batch(const Dataset *d, uint64_t seed, uint64_t step, int batch, int context, int32_t *inputs,
                   int32_t *targets) {
    uint32_t *starts = mem_alloc((size_t)batch, sizeof *starts);
    dataset_batch_starts(d, seed, step, batch, context, starts);
    for (int b = 0; b < batch; b++) {
        size_t row = (size_t)b * (size_t)context;
        copy_row(d->tokens + starts[b], context, inputs + row, targets + row);
    }
    free(starts);
}

size_t dataset_windows(const Dataset *d, int context) {
    assert(context > 0);
    return d->valid ? (d->valid - 1) / (size_t)context : 0;
}

size_t dataset_dropped(const Dataset *d, int context) {
    return d->valid ? d->valid - 1 - dataset_windows(d, context) * (size_t)context : 0;
}

int dataset_windows_fill(const Dataset *d, size_t first, int batch, int context, int32_t *inputs, int32_t *targets) {
    size_t windows = dataset_windows(d, context), width = (size_t)context;
    const int32_t *valid = d->tokens + d->train;
    int real = 0;
    for (int b = 0; b < batch; b++) {
        size_t row = (size_t)b * width, window = first + (size_t)b;
        if (window < windows) {
            copy_row(valid + window * width, context, inputs + row, targets + row);
            real++;
            continue;
        }
        for (size_t i = 0; i < width; i++) {
            inputs[row + i] = 0;
            targets[row + i] = -1;
        }
    }
    return real;
}

size_t dataset_target_bytes(const Dataset *d, const int32_t *targets, size_t count) {
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        if (targets[i] >= 0) bytes += d->token_bytes[targets[i]];
    return bytes;
}
