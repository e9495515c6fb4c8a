#include "datasets/chrf.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/utf8.h"
#include "datasets/ngrams.h"
#include "datasets/tokenize_13a.h"
#include "datasets/tokenizer.h"

/* Return the characters but white space, invalid bytes as one each; the caller frees them. */
static uint32_t *characters(const char *line, size_t length, size_t *count) {
    uint32_t *out = mem_alloc(length + 1, sizeof *out);
    *count = 0;
    for (size_t at = 0, n; at < length; at += n) {
        uint32_t code = 0xfffd;
        n = utf8_next((const uint8_t *)line + at, length - at, &code);
        if (!n) n = 1, code = 0xfffd;
        if (!white_space(code)) out[(*count)++] = code;
    }
    return out;
}

ChrfCounts chrf_counts(const char *hypothesis, size_t h, const char *reference, size_t r) {
    ChrfCounts c;
    size_t n, m;
    OWNED uint32_t *x = characters(hypothesis, h, &n), *y = characters(reference, r, &m);
    for (size_t i = 0; i < CHRF_ORDERS; i++) {
        c.reference[i] = (long)ngrams_count(m, i + 1);
        c.hypothesis[i] = c.reference[i] ? (long)ngrams_count(n, i + 1) : 0;
        c.matches[i] = (long)ngrams_shared(x, n, y, m, i + 1);
    }
    return c;
}

void chrf_add(ChrfCounts *sum, const ChrfCounts *x) {
    for (int i = 0; i < CHRF_ORDERS; i++) {
        sum->matches[i] += x->matches[i];
        sum->hypothesis[i] += x->hypothesis[i], sum->reference[i] += x->reference[i];
    }
}

double chrf_score(const ChrfCounts *sum) {
    double precision = 0, recall = 0;
    int orders = 0;
    for (int i = 0; i < CHRF_ORDERS; i++) {
        if (!sum->hypothesis[i] || !sum->reference[i]) continue;
        precision += (double)sum->matches[i] / (double)sum->hypothesis[i];
        recall += (double)sum->matches[i] / (double)sum->reference[i];
        orders++;
    }
    if (!orders || !(precision + recall > 0)) return 0;
    precision /= orders, recall /= orders;
    return 100 * 5 * precision * recall / (4 * precision + recall);
}
