/* Singular values: by hand, and what is refused. */
#include "stats/singular.h"
#include "tests/stats/test_stats.h"

TestSuite(stats_singular, .init = st_init);

Test(stats_singular, by_hand) {
    const double turned[] = {0, -2, 3, 0}, rank_one[] = {1, 2, 2, 4}, one[] = {-7};
    double s[2];
    STATUS(st_singular(turned, 2, s), ST_OK);
    NEAR(s[0], 3, 1e-15);
    NEAR(s[1], 2, 1e-15);
    STATUS(st_singular(rank_one, 2, s), ST_OK);
    NEAR(s[0], 5, 1e-14);
    NEAR(s[1], 0, 1e-14);
    STATUS(st_singular(one, 1, s), ST_OK);
    NEAR(s[0], 7, 1e-15);
}

/* [1 1; 0 1]: the golden ratio and its inverse. */
Test(stats_singular, shear) {
    const double a[] = {1, 1, 0, 1};
    double s[2];
    STATUS(st_singular(a, 2, s), ST_OK);
    NEAR(s[0], (1 + sqrt(5)) / 2, 1e-14);
    NEAR(s[1], 2 / (1 + sqrt(5)), 1e-14);
}

Test(stats_singular, refused) {
    const double a[] = {1, NAN, 0, 1};
    double s[2];
    STATUS(st_singular(a, 2, s), ST_NONFINITE_INPUT);
    STATUS(st_singular(a, 0, s), ST_N_TOO_SMALL);
}
