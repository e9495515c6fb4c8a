#include "datasets/overlap.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum { W = OVERLAP_BLOCK, FILTER_BITS = 20 };

static const uint64_t BASE = 0x9e3779b97f4a7c15u; /* any odd number with irregular bits */

/* A block of the validation part and how often it occurs there; at NULL: an empty slot. */
typedef struct {
    uint64_t hash;
    const uint8_t *at;
    uint32_t times, found;
} Block;

typedef struct {
    Block *slot; /* open addressing, a power of two */
    size_t mask;
    uint8_t *filter; /* one bit per hash prefix: most places of the training part stop here */
} Blocks;

static uint64_t hash_of(const uint8_t *at) {
    uint64_t hash = 0;
    for (int i = 0; i < W; i++) hash = hash * BASE + at[i] + 1;
    return hash;
}

static uint64_t mixed(uint64_t hash) {
    hash ^= hash >> 32;
    return hash * BASE;
}

/* Return the slot of a block with these bytes, or the empty slot for it. */
static Block *find(const Blocks *b, uint64_t hash, const uint8_t *at) {
    size_t i = mixed(hash) >> 20 & b->mask;
    while (b->slot[i].at && (b->slot[i].hash != hash || memcmp(b->slot[i].at, at, W))) i = (i + 1) & b->mask;
    return &b->slot[i];
}

static void blocks_init(Blocks *b, const uint8_t *valid, size_t count) {
    size_t room = 64;
    while (room < 2 * count) room *= 2;
    *b = (Blocks){mem_alloc(room, sizeof *b->slot), room - 1, mem_alloc(1 << (FILTER_BITS - 3), 1)};
    for (size_t k = 0; k < count; k++) {
        uint64_t hash = hash_of(valid + k * W), bit = mixed(hash) >> (64 - FILTER_BITS);
        Block *block = find(b, hash, valid + k * W);
        *block = (Block){hash, valid + k * W, block->times + 1, 0};
        b->filter[bit / 8] |= (uint8_t)(1 << bit % 8);
    }
}

Overlap overlap_find(const uint8_t *train, size_t train_length, const uint8_t *valid, size_t valid_length) {
    Overlap o = {valid_length / W, 0};
    if (!o.blocks || train_length < W) return o;
    Blocks b;
    blocks_init(&b, valid, o.blocks);
    uint64_t leaving = 1, hash = hash_of(train); /* leaving: BASE^W */
    for (int i = 0; i < W; i++) leaving *= BASE;
    for (size_t at = 0;; at++) {
        uint64_t bit = mixed(hash) >> (64 - FILTER_BITS);
        if (b.filter[bit / 8] >> bit % 8 & 1) {
            Block *block = find(&b, hash, train + at);
            if (block->at) block->found = 1;
        }
        if (at + W == train_length) break;
        hash = hash * BASE + train[at + W] + 1 - leaving * (train[at] + 1u);
    }
    for (size_t i = 0; i <= b.mask; i++) o.shared += b.slot[i].found ? b.slot[i].times : 0;
    free(b.slot);
    free(b.filter);
    return o;
}
