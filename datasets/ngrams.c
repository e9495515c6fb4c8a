#include "datasets/ngrams.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* An n-gram; elements beyond its order are 0. */
typedef struct {
    uint32_t at[NGRAMS_MAX];
} Gram;

static int compare(const void *a, const void *b) {
    const Gram *x = a, *y = b;
    for (int i = 0; i < NGRAMS_MAX; i++)
        if (x->at[i] != y->at[i]) return x->at[i] < y->at[i] ? -1 : 1;
    return 0;
}

size_t ngrams_count(size_t length, size_t order) {
    return length < order ? 0 : length - order + 1;
}

static Gram *sorted(const uint32_t *from, size_t count, size_t order) {
    Gram *out = mem_alloc(count + 1, sizeof *out);
    memset(out, 0, (count + 1) * sizeof *out);
    for (size_t i = 0; i < count; i++) memcpy(out[i].at, from + i, order * sizeof *from);
    qsort(out, count, sizeof *out, compare);
    return out;
}

size_t ngrams_shared(const uint32_t *a, size_t na, const uint32_t *b, size_t nb, size_t order) {
    size_t counts[2] = {ngrams_count(na, order), ngrams_count(nb, order)}, i = 0, j = 0, shared = 0;
    Gram *x = sorted(a, counts[0], order), *y = sorted(b, counts[1], order);
    while (i < counts[0] && j < counts[1]) { /* two equal ones are a pair, each used once */
        int order_of = compare(&x[i], &y[j]);
        if (!order_of) shared++;
        if (order_of <= 0) i++;
        if (order_of >= 0) j++;
    }
    free(x);
    free(y);
    return shared;
}
