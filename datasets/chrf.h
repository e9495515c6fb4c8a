/* chrF of a corpus (Popovic 2015), equal to sacreBLEU's: F-score of character n-grams, orders 1 to 6, recall weighted
 * twice (beta 2), without white space, case kept, no word n-grams. Precision and recall are averaged over the orders
 * that both sides have. */
#ifndef DATASETS_CHRF_H
#define DATASETS_CHRF_H

#include <stddef.h>

enum { CHRF_ORDERS = 6 };

/* Counts of a sentence or, summed, of a corpus. Index i: n-grams of i + 1 characters. */
typedef struct {
    long matches[CHRF_ORDERS], hypothesis[CHRF_ORDERS], reference[CHRF_ORDERS]; /* hypothesis: 0 if reference is */
} ChrfCounts;

ChrfCounts chrf_counts(const char *hypothesis, size_t h, const char *reference, size_t r);
void chrf_add(ChrfCounts *sum, const ChrfCounts *x);
double chrf_score(const ChrfCounts *sum); /* returns 0 to 100 */

/* sacreBLEU's signature of these choices, without its version. */
#define CHRF_SIGNATURE "nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no"

#endif
