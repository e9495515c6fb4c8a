/* Scores over several tasks, as Agarwal et al. 2021 (rliable) sum them up: the interquartile mean and the performance
 * profile, with intervals of the stratified bootstrap, which draws runs anew within each task and takes the tasks as
 * given: it says what other seeds would give on these tasks, nothing about other tasks.
 *
 * x: [tasks][n], run by run. One key draws the same runs of each task for every arm, so that runs of one seed stay
 * together and differences between arms are those of the same draws. */
#ifndef STATS_PROFILE_H
#define STATS_PROFILE_H

#include "stats/rng.h"
#include "stats/status.h"

#define ST_PROFILE_DRAWS 10000

/* The interquartile mean (st_iqm) of all runs of all tasks. status: of the intervals; n < 2 runs in a task are
 * ST_N_TOO_SMALL, and the iqm still stands. minus: of the arm's iqm less the baseline's; without a baseline its status
 * is ST_BAD_ARG. Intervals are percentiles. */
typedef struct {
    StStatus status;
    double iqm, lo, hi;
    double difference;
    StInterval minus;
} StTaskIqm;

/* base: of the arm to compare with, the same runs, or NULL. */
StTaskIqm st_task_iqm(const double *x, const double *base, size_t tasks, size_t n, double conf, StKey key);

/* The share of runs whose score is at or below tau, the mean over tasks, with its pointwise interval. scale: of the raw
 * values that scores are made of (st_scale): a score within their rounding above tau is at tau. */
typedef struct {
    double share, lo, hi;
} StBand;

/* tau: [taus] ascending. band: [taus]. The status of st_task_iqm; lo and hi are NaN unless it is ST_OK. */
StStatus st_performance(const double *x, size_t tasks, size_t n, double scale, const double *tau, size_t taus,
                        double conf, StKey key, StBand *band);

#endif
