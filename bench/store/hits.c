#include "bench/store/hits.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

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

json_t *hits_json(const Hits *h) {
    return json_pack("{s:i, s:I, s:I, s:I, s:s}", "step", h->step, "targets", (json_int_t)h->targets, "right",
                     (json_int_t)h->right, "most_frequent", (json_int_t)h->frequent, "sha256", h->sha256);
}

Rc hits_parse(Hits *h, const json_t *hits, Error *e) {
    json_int_t targets, right, frequent;
    const char *hash;
    *h = (Hits){0};
    if (!hits) return RC_OK;
    if (json_unpack((json_t *)(uintptr_t)hits, "{s:i, s:I, s:I, s:I, s:s}", "step", &h->step, "targets", &targets,
                    "right", &right, "most_frequent", &frequent, "sha256", &hash) ||
        targets < 1 || right < 0 || right > targets || frequent < 1 || frequent > targets ||
        strlen(hash) != SHA256_HEX - 1)
        return error_set(e, RC_INTEGRITY, "hits: not {step, targets, right, most_frequent, sha256}");
    h->targets = (long)targets, h->right = (long)right, h->frequent = (long)frequent;
    strcpy(h->sha256, hash);
    return RC_OK;
}
