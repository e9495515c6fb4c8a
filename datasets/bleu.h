/* BLEU of a corpus (Papineni et al. 2002), equal to sacreBLEU's (Post 2018): words of tokenize_13a, case kept, one
 * reference, orders 1 to 4. An order without a match counts as 1 / (2^k total), k counting such orders ("exp"); if
 * nothing matches, or the corpus has no n-gram of some order, BLEU is 0. */
#ifndef DATASETS_BLEU_H
#define DATASETS_BLEU_H

#include <stddef.h>

enum { BLEU_ORDERS = 4 };

/* Counts of a sentence or, summed, of a corpus, from which BLEU follows. Index i: n-grams of i + 1 words. */
typedef struct {
    long matches[BLEU_ORDERS], totals[BLEU_ORDERS]; /* n-grams shared with the reference; in the hypothesis */
    long hypothesis, reference;                     /* words */
} BleuCounts;

typedef struct {
    double score;                   /* 0 to 100 */
    double precision[BLEU_ORDERS];  /* percent, smoothed */
    double brevity;                 /* penalty: 1, or exp(1 - reference / hypothesis) if shorter; 0: no words */
} Bleu;

/* Count two lines of UTF-8 of h and r bytes. */
BleuCounts bleu_counts(const char *hypothesis, size_t h, const char *reference, size_t r);
void bleu_add(BleuCounts *sum, const BleuCounts *x);
Bleu bleu_score(const BleuCounts *sum);

/* sacreBLEU's signature of these choices, without its version. */
#define BLEU_SIGNATURE "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp"

#endif
