/* Measure how much of a validation part occurs in the training part. */
#ifndef DATASETS_OVERLAP_H
#define DATASETS_OVERLAP_H

#include <stddef.h>
#include <stdint.h>

enum {
    OVERLAP_BLOCK = 256,   /* bytes */
    OVERLAP_ALLOWED = 1000 /* one block in this many may be boilerplate: WikiText-2 shares 3 of 4,381 */
};

typedef struct {
    size_t blocks, shared;
} Overlap;

/* Cut valid[] into blocks of 256 bytes (ignoring a rest) and count those that occur anywhere in train[]. Exact: a
 * rolling hash finds candidates, a comparison decides. */
Overlap overlap_find(const uint8_t *train, size_t train_length, const uint8_t *valid, size_t valid_length);

#endif
