#include "base/normals.h"

#include "base/canon.h"
#include "base/philox.h"

enum { WORDS = 512 };

CANON_CLONES static void transform(float *x, const uint32_t *word, size_t n) {
    for (size_t i = 0; i < n; i++) x[i] = canon_normal(word[i]);
}

void normals_draw(float *x, size_t n, uint64_t seed, uint64_t stream, size_t from) {
    uint32_t word[WORDS + 4];
    for (size_t done = 0, count; done < n; done += count) {
        size_t at = from + done, skip = at & 3;
        count = n - done < WORDS ? n - done : WORDS;
        for (size_t i = 0; i < skip + count; i += 4) philox_block(word + i, seed, stream, (at - skip + i) >> 2);
        transform(x + done, word + skip, count);
    }
}
