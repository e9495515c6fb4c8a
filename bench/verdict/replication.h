/* Replication: our estimate of an effect beside the reported one, both with their standard errors.
 *
 *   ours      That of the reading: of the mean paired difference over seeds, or over seeds and blocks.
 *   theirs    From the reported standard deviations and the number of seeds, the arms taken as unpaired:
 *             sqrt(sum of weight^2 sd^2 / n), and (sd / mean)^2 in place of sd^2 for a log_ratio (delta method). Not
 *             known unless every arm of the test has QUANTITY_sd in the table, from two seeds or more.
 *   interval  The prediction interval of stats/replication.h around our estimate; with their error unknown only ours is
 *             in it. Where our effect has an interval and no standard error (a rate), that interval.
 *
 * A wide interval is no proof that an effect is there: it takes our own test as well to call a claim reproduced. */
#ifndef BENCH_VERDICT_REPLICATION_H
#define BENCH_VERDICT_REPLICATION_H

#include "bench/plan/claim.h"
#include "bench/verdict/reading.h"

typedef struct {
    double se, reported_se; /* NaN: not known */
    double df;              /* NaN: the interval is not made of standard errors */
    double lo, hi;          /* NaN: no interval */
    bool inside;            /* the reported effect lies in it */
    bool agrees;            /* so it does, though our own test shows nothing; set beside the verdict's word */
} Replication;

/* spec[terms]: of the runs of the test's arms; reported: its effect there, NaN where there is none, and then all
 * numbers are NaN. */
Replication replication_of(const ClaimTest *t, const RunSpec *spec, double reported, const Reading *r, double conf);

#endif
