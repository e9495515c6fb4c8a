/* Confidence intervals that match the sign-flip tests: the shifts that the test does not reject.
 *
 * A shift m is in the interval when the sign-flip p of d - m is at least 1 - conf. An interval therefore excludes 0
 * exactly when the test of stats/permute.h rejects at the level 1 - conf. Where n seeds cannot reach that level
 * (2/2^n >= 1 - conf) every shift is in it: lo = -infinity, hi = infinity, ST_NOT_REACHABLE. */
#ifndef STATS_INVERT_H
#define STATS_INVERT_H

#include "stats/permute.h"

typedef struct {
    StStatus status;
    double conf, lo, hi;
} StFlipCi;

/* Of one mean difference (Hartigan 1969: typical values; Tritchler 1984). Flipping the seeds of a set S leaves the sum
 * of d - m as large or larger exactly when the mean of d over S is at most m, so lo and hi are order statistics of the
 * 2^n - 1 means of subsets: with 6 seeds and conf .95 the smallest and the largest d. Beyond ST_FLIP_MAX seeds the
 * flips are those that st_signflip draws with the same key, so that interval and test agree there too. A limit that is
 * 0 but for rounding is 0. n = 0: ST_N_TOO_SMALL; conf outside (0, 1): ST_BAD_ARG. */
StFlipCi st_flip_ci(const double *d, size_t n, double scale, double conf, StKey key);

/* Of k mean differences on the same seeds together: the shifts of one column, the others as they are, that single-step
 * max-T does not reject, so that an interval excludes 0 exactly when that test rejects. alone: [k] those of each column
 * by itself, from the same flips, or NULL. Beyond ST_FLIP_MAX seeds as many flips are drawn as `draws` says
 * (0: st_flip_draws), the first of what st_maxT draws with the same key: with its total - 1 the tests are its raw and
 * single. Joint coverage was only measured (tests/stats/test_stats_invert.c). d, scale: as st_maxT takes them;
 * together: [k]. A column without spread has the width 0, unless its test cannot reach the level. Returns the first
 * status that is not ST_OK and not ST_NOT_REACHABLE; then nothing is set. */
StStatus st_maxT_ci(const double *d, size_t k, size_t n, const double *scale, double conf, uint64_t draws, StKey key,
                    StFlipCi *together, StFlipCi *alone);

#endif
