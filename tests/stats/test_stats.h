/* What every stats test file uses: assertions that print both numbers. */
#ifndef TEST_STATS_H
#define TEST_STATS_H

#include <criterion/criterion.h>
#include <math.h>

#include "stats/status.h"

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

#endif
