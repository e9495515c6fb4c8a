/* chrF of a corpus (Popovic 2015), with sacreBLEU's numbers: F-score of character n-grams, orders 1 to 6, recall
 * weighing twice (beta 2), white space left out, case kept, no word n-grams. Precision and recall are averaged over the
 * orders that both sides have. */
#ifndef DATASETS_CHRF_H
#define DATASETS_CHRF_H

#include <stddef.h>

enum { CHRF_ORDERS = 6 };

/* Of a sentence, and summed, of a corpus. Index i: n-grams of i + 1 characters. */
typedef struct {
    long matches[CHRF_ORDERS], hypothesis[CHRF_ORDERS], reference[CHRF_ORDERS]; /* hypothesis: 0 where reference is */
} ChrfCounts;

ChrfCounts chrf_counts(const char *hypothesis, size_t h, const char *reference, size_t r);
void chrf_add(ChrfCounts *sum, const ChrfCounts *x);
double chrf_score(const ChrfCounts *sum); /* 0 to 100 */

/* What sacreBLEU calls these choices, but for its version. */
#define CHRF_SIGNATURE "nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no"

#endif
