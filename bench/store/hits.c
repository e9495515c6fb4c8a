#include "bench/store/hits.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "bench/formats/json.h"

size_t hits_bytes(const Hits *h) {
    return ((size_t)h->targets + 7) / 8;
}

bool hits_at(const Hits *h, long i) {
    return h->bit[i / 8] >> i % 8 & 1;
}

void hits_begin(Hits *h, int step, long targets, int vocab) {
    *h = (Hits){.targets = targets, .step = step, .vocab = vocab};
    h->bit = mem_alloc(hits_bytes(h), 1);
    h->seen = mem_alloc((size_t)vocab, sizeof *h->seen);
}

void hits_add(Hits *h, const int32_t *target, const bool *hit, size_t rows) {
    for (size_t row = 0; row < rows; row++) {
        if (target[row] < 0) continue;
        assert(h->added < h->targets && target[row] < h->vocab);
        h->bit[h->added / 8] |= (uint8_t)(hit[row] << h->added % 8);
        h->right += hit[row];
        h->seen[target[row]]++;
        h->added++;
    }
}

void hits_end(Hits *h) {
    h->targets = h->added;
    for (int i = 0; i < h->vocab; i++)
        if (h->seen[i] > h->frequent) h->frequent = h->seen[i];
    free(h->seen);
    h->seen = NULL;
    sha256_hex_of(h->sha256, h->bit, hits_bytes(h));
}

void hits_release(Hits *h) {
    free(h->bit);
    free(h->seen);
    *h = (Hits){0};
}

static const JsonField fields[] = {JSON_FIELD(Hits, step),
                                   JSON_FIELD(Hits, targets),
                                   JSON_FIELD(Hits, right),
                                   JSON_FIELD_AS("most_frequent", Hits, frequent),
                                   JSON_FIELD(Hits, sha256),
                                   {0}};

json_t *hits_json(const Hits *h) {
    return json_put(json_object(), fields, h);
}

Rc hits_parse(Hits *h, const json_t *hits, Error *e) {
    *h = (Hits){0};
    if (!hits) return RC_OK;
    if (!json_take(h, fields, hits) && h->targets > 0 && h->right >= 0 && h->right <= h->targets && h->frequent > 0 &&
        h->frequent <= h->targets && strlen(h->sha256) == SHA256_HEX - 1)
        return RC_OK;
    *h = (Hits){0};
    return error_set(e, RC_INTEGRITY, "hits: not {step, targets, right, most_frequent, sha256}");
}
