/* How much of a validation part stands word for word in the training part. */
#ifndef DATASETS_OVERLAP_H
#define DATASETS_OVERLAP_H

#include <stddef.h>
#include <stdint.h>

enum {
    OVERLAP_BLOCK = 256,   /* bytes */
    OVERLAP_ALLOWED = 1000 /* one block in so many may be boilerplate: WikiText-2 shares 3 of 4,381 */
};

typedef struct {
    size_t blocks, shared;
} Overlap;

/* Cuts valid[] into blocks of 256 bytes (a rest is not looked at) and counts those that occur in train[] at any place.
 * Exact: a rolling hash proposes, a comparison decides. */
Overlap overlap_find(const uint8_t *train, size_t train_length, const uint8_t *valid, size_t valid_length);

#endif
