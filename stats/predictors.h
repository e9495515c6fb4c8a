/* Which of two numbers explains better which runs failed?
 *
 * A logistic regression of the outcome (0 or 1) on each number alone, by its midranks over all runs, so that neither
 * its unit nor how it is bent decides: only a rise or a fall is asked for. The two models are not nested and have as
 * many coefficients, so their deviances, -2 ln likelihood, are compared as they are (Vuong 1989, "Likelihood ratio
 * tests for model selection and non-nested hypotheses", without a correction). Vuong's statistic is a sum over
 * independent observations. Runs of one seed share their start and their batches, so the observations here are
 * seeds: every run's difference of the two deviances, summed within its seed. In place of Vuong's normal limit,
 * which needs many of them, p is that of exact sign flips of these sums (Fisher 1935; stats/permute.h): the
 * hypothesis is that within a seed either number could as well be the better one. The coefficients are taken as
 * known, as in Vuong's theorem: he shows that fitting them changes the statistic in second order only. */
#ifndef STATS_PREDICTORS_H
#define STATS_PREDICTORS_H

#include "stats/rng.h"
#include "stats/status.h"

/* deviance[k]: left by number k. null_deviance: with neither. A number without spread leaves the null deviance.
 * separated[k]: some value of number k splits the failed from the others without a miss, so that its deviance is 0; a
 * split with ties on both sides of it is in between and none. No run failed, or all: every deviance is 0 and p is 1. */
typedef struct {
    StStatus status;
    size_t runs, failed;
    double null_deviance, deviance[2];
    double difference; /* deviance[1] - deviance[0]: below 0 where the second explains more */
    double lo, hi;     /* the differences that these flips do not reject at 1 - conf; infinite where they cannot */
    bool separated[2];
    double p, p_min; /* two-sided; p_min = 2/2^seeds */
} StPredictors;

/* first, second, failed: [seeds][runs], the same runs of every seed. ST_N_TOO_SMALL: no seeds, or fewer than three runs
 * in all. conf: the interval's level, in (0, 1). key is read only beyond ST_FLIP_MAX seeds. */
StPredictors st_predictors(const double *first, const double *second, const unsigned char *failed, size_t seeds,
                           size_t runs, double conf, StKey key);

#endif
