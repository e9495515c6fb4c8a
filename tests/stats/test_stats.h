/* What every stats test file uses: assertions that print both numbers. */
#ifndef TEST_STATS_H
#define TEST_STATS_H

#include "stats/permute.h"
#include "tests/test.h"

#define NEAR(got, want, tol) \
    do { \
        double got_ = (got), want_ = (want); \
        cr_assert(fabs(got_ - want_) <= (tol), "%s: got %.17g, expected %.17g", #got, got_, want_); \
    } while (0)
#define STATUS(got, want) \
    do { \
        StStatus got_ = (got); \
        cr_assert_eq(got_, (want), "%s: got '%s', expected %s", #got, st_status_text(got_), #want); \
    } while (0)

static inline void rng_release(gsl_rng **rng) {
    gsl_rng_free(*rng);
}

/* Equivalence within +- margin: the larger p of two one-sided sign-flip tests of shifted differences; n up to 64. */
static inline double flip_tost(const double *d, size_t n, double margin, StKey key) {
    double above[64], below[64];
    for (size_t i = 0; i < n; i++) above[i] = d[i] + margin, below[i] = d[i] - margin;
    StSignflip more = st_signflip(above, n, 0, ST_GREATER, key), less = st_signflip(below, n, 0, ST_LESS, key);
    cr_assert(more.status == ST_OK && less.status == ST_OK);
    return more.p > less.p ? more.p : less.p;
}

#endif
