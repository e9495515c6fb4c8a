#include "datasets/unigram.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"

void unigram_init(UnigramCounts *c, int vocab) {
    c->vocab = vocab;
    c->train = mem_alloc(2 * (size_t)vocab, sizeof *c->train);
    c->valid = c->train + vocab;
}

void unigram_release(UnigramCounts *c) {
    free(c->train);
    *c = (UnigramCounts){0};
}

void unigram_add(uint64_t *part, const int32_t *tokens, size_t count) {
    for (size_t i = 0; i < count; i++) part[tokens[i]]++;
}

void unigram_levels(const UnigramCounts *c, double *on_train, double *on_valid) {
    uint64_t train = 0, valid = 0;
    for (int k = 0; k < c->vocab; k++) train += c->train[k], valid += c->valid[k];
    double total = (double)train + (double)c->vocab;
    *on_train = *on_valid = 0;
    for (int k = 0; k < c->vocab; k++) {
        double nats = log(total / ((double)c->train[k] + 1));
        *on_train += nats * (double)c->train[k];
        *on_valid += nats * (double)c->valid[k];
    }
    *on_train /= (double)train;
    *on_valid /= (double)valid;
}
