/* Scores of a whole corpus that are no mean over its sentences, such as BLEU: a function of counts that are summed over
 * sentences. Seeds are crossed with sentences: every run translates the same ones. */
#ifndef STATS_CORPUS_H
#define STATS_CORPUS_H

#include "stats/rng.h"
#include "stats/status.h"

/* The score of summed counts. */
typedef double StScore(const double *sum, size_t counts);

/* Mean over seeds of score(a) - score(b), and a bootstrap of both (Owen 2007, for a score as in Koehn 2004): seeds are
 * drawn with replacement, and so are sentences, the same ones for every seed and both arms; percentile interval of
 * conf, for new seeds and new sentences. sentences: the same with the seeds as they are, for new sentences alone. a, b:
 * [seeds][items][counts]. b NULL: score(a) alone. fewer than two seeds or items: ST_N_TOO_SMALL; draws not in 1 … 10^6:
 * ST_BAD_ARG; a count that is not finite: ST_NONFINITE_INPUT. `mean` is set unless there is no seed or no item. */
typedef struct {
    StStatus status;
    size_t items, draws;
    double mean, se, lo, hi;
    struct {
        double se, lo, hi;
    } sentences;
} StCorpus;

StCorpus st_corpus(const double *a, const double *b, size_t seeds, size_t items, size_t counts, StScore *score,
                   double conf, size_t draws, StKey key);

#endif
