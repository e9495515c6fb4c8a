#include "datasets/bleu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "datasets/ngrams.h"
#include "datasets/tokenize_13a.h"

typedef struct {
    const char *at;
    size_t length, place; /* place: index in the two sentences, one after the other */
} Word;

static int compare(const void *a, const void *b) {
    const Word *x = a, *y = b;
    size_t n = x->length < y->length ? x->length : y->length;
    int order = memcmp(x->at, y->at, n);
    return order ? order : (x->length > y->length) - (x->length < y->length);
}

static size_t count_words(const Text *t) {
    size_t n = t->length > 0;
    for (size_t i = 0; i < t->length; i++) n += t->at[i] == ' ';
    return n;
}

static void cut_words(const Text *t, Word *out, size_t place) {
    const char *at = t->at, *end = t->at + t->length;
    while (at < end) {
        const char *blank = memchr(at, ' ', (size_t)(end - at)), *stop = blank ? blank : end;
        *out++ = (Word){at, (size_t)(stop - at), place++};
        at = stop + 1;
    }
}

/* Number words from 1, equal words alike. */
static void number_words(Word *word, size_t n, uint32_t *id) {
    uint32_t next = 0;
    qsort(word, n, sizeof *word, compare);
    for (size_t i = 0; i < n; i++) {
        if (!i || compare(&word[i - 1], &word[i])) next++;
        id[word[i].place] = next;
    }
}

BleuCounts bleu_counts(const char *hypothesis, size_t h, const char *reference, size_t r) {
    BleuCounts c;
    Text text[2];
    text_init(&text[0]);
    text_init(&text[1]);
    tokenize_13a(hypothesis, h, &text[0]);
    tokenize_13a(reference, r, &text[1]);
    size_t n = count_words(&text[0]), m = count_words(&text[1]);
    OWNED Word *word = mem_alloc(n + m + 1, sizeof *word);
    OWNED uint32_t *id = mem_alloc(n + m + 1, sizeof *id);
    cut_words(&text[0], word, 0);
    cut_words(&text[1], word + n, n);
    number_words(word, n + m, id);
    c.hypothesis = (long)n, c.reference = (long)m;
    for (size_t i = 0; i < BLEU_ORDERS; i++) {
        c.totals[i] = (long)ngrams_count(n, i + 1);
        c.matches[i] = (long)ngrams_shared(id, n, id + n, m, i + 1);
    }
    text_release(&text[0]);
    text_release(&text[1]);
    return c;
}

void bleu_add(BleuCounts *sum, const BleuCounts *x) {
    for (int i = 0; i < BLEU_ORDERS; i++) sum->matches[i] += x->matches[i], sum->totals[i] += x->totals[i];
    sum->hypothesis += x->hypothesis, sum->reference += x->reference;
}

Bleu bleu_score(const BleuCounts *sum) {
    Bleu b = {.brevity = 1};
    double logs = 0, missed = 1;
    bool whole = true;
    if (sum->hypothesis < sum->reference)
        b.brevity = sum->hypothesis ? exp(1 - (double)sum->reference / (double)sum->hypothesis) : 0;
    if (!sum->matches[0]) return b; /* then no longer n-gram matches */
    for (int i = 0; i < BLEU_ORDERS && whole; i++) {
        double total = (double)sum->totals[i];
        whole = total > 0;
        if (!whole) break;
        if (!sum->matches[i]) missed *= 2;
        b.precision[i] = sum->matches[i] ? 100.0 * (double)sum->matches[i] / total : 100 / (missed * total);
        logs += log(b.precision[i]);
    }
    b.score = whole ? b.brevity * exp(logs / BLEU_ORDERS) : 0;
    return b;
}
