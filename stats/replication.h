/* Does an earlier estimate agree with a new one?
 *
 * The interval in which an estimate of the same effect lies with a given probability, when both have an error of their
 * own (Patil, Peng and Leek 2016, "What should researchers expect when they replicate studies?", section 3; theirs is
 * for correlations, with a normal quantile; this one is for means of a few runs, with Student's t):
 *
 *   mean +- t_{df,(1+conf)/2} sqrt(sum of the variances)
 *
 * df by Welch and Satterthwaite over all the variances, (sum v)^2 / sum(v^2 / df). With one variance it is the t
 * interval of the mean, with two that of Welch's test. */
#ifndef STATS_REPLICATION_H
#define STATS_REPLICATION_H

#include "stats/status.h"

/* The variance of an estimated mean, and its degrees of freedom. */
typedef struct {
    double variance, df;
} StVarianceOf;

typedef struct {
    StStatus status;
    double se, df; /* of the difference between the two estimates */
    double lo, hi;
} StPrediction;

/* part[k]: of the new estimate and of the earlier one, such as one per arm where its arms are not paired.
 * ST_DEGENERATE: they add up to zero; ST_BAD_ARG: none, a variance below zero, df that is not above zero. */
StPrediction st_prediction(double mean, const StVarianceOf *part, size_t k, double conf);

#endif
