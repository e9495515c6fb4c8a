/* Test martingales: against products written out in Python, by enumeration of all signs, and at their limits. */
#include <stdlib.h>

#include "base/error.h"
#include "stats/anytime.h"
#include "tests/stats/test_stats.h"

TestSuite(stats_anytime, .init = st_init);

static const StKey key = {5, 43};
static const double eight[8] = {.3, .1, .25, .2, -.05, .4, .15, .3};

/* The first number of seeds at which p <= alpha; 0: none. */
static size_t decided_at(const double *d, size_t n, double alpha) {
    OWNED double *p = mem_alloc(n, sizeof *p);
    size_t i = 0;
    STATUS(st_anytime_path(d, n, 0, p), ST_OK);
    while (i < n && p[i] > alpha) i++;
    return i < n ? i + 1 : 0;
}

/* Python, each factor exp(s lambda z) / cosh(lambda z) multiplied up: e after every seed. */
Test(stats_anytime, as_written_out) {
    const double e[8] = {1.0,
                         1.5135308324106775,
                         2.7250044558520816,
                         5.002648220528328,
                         2.5073407861476245,
                         4.789456862159948,
                         8.218692766184853,
                         15.62920027943824};
    double path[8], within[8], most = 0;
    STATUS(st_anytime_path(eight, 8, 0, path), ST_OK);
    STATUS(st_anytime_inside_path(eight, 8, 0, .5, within), ST_OK);
    for (int i = 0; i < 8; i++) {
        most = fmax(most, e[i]);
        NEAR(path[i], 1 / most, 1e-13);
    }
    cr_assert_eq(decided_at(eight, 8, .1), 8);
    NEAR(within[7], .008307446026904655, 1e-14);
    StInterval ci = st_anytime_ci(eight, 8, 0, .95); /* by a grid of 1e-4 */
    STATUS(ci.status, ST_OK);
    NEAR(ci.lo, -.0121, 1.01e-4);
    NEAR(ci.hi, .3655, 1.01e-4);
}

/* Six equal differences decide, five cannot; p stays what it once was. */
Test(stats_anytime, six_seeds) {
    double d[9] = {-.1, -.1, -.1, -.1, -.1, -.1, .4, .4, .5};
    double p[9];
    STATUS(st_anytime_path(d, 9, 0, p), ST_OK);
    NEAR(p[5], .04970612314141082, 1e-15);
    cr_assert(p[4] > .05 && p[8] == p[5], "decided by then");
    STATUS(st_anytime_ci(d, 5, 0, .95).status, ST_NOT_REACHABLE);
    STATUS(st_anytime_ci(d, 6, 0, .95).status, ST_OK);
}

/* Over all signs of one set of sizes the share that ever reaches 20 is at most 1/20. */
Test(stats_anytime, a_martingale_by_enumeration) {
    const double size[12] = {.3, .1, .25, .2, .05, .4, 1.5, .01, .3, .2, 2, .1};
    double d[12];
    int reached = 0;
    for (int pattern = 0; pattern < 4096; pattern++) {
        for (int i = 0; i < 12; i++) d[i] = pattern >> i & 1 ? -size[i] : size[i];
        reached += decided_at(d, 12, .05) > 0;
    }
    cr_assert(reached > 0 && reached <= 4096 / 20, "%d of 4096", reached);
}

/* The interval leaves out 0 exactly when p <= alpha. */
Test(stats_anytime, interval_and_test_agree) {
    LOCAL(rng_release) gsl_rng *rng = st_rng_new(key);
    int apart = 0;
    for (int sample = 0; sample < 200; sample++) {
        double d[16];
        for (int i = 0; i < 16; i++) d[i] = (double)gsl_rng_get(rng) / 4294967296. - .2 - .02 * (sample % 10);
        bool decided = decided_at(d, 16, .05) > 0;
        StInterval ci = st_anytime_ci(d, 16, 0, .95);
        cr_assert(decided == (ci.lo > 0 || ci.hi < 0), "sample %d: [%g, %g]", sample, ci.lo, ci.hi);
        apart += decided;
    }
    cr_assert(apart > 40 && apart < 195, "%d", apart);
}

Test(stats_anytime, need) {
    StAnytimeNeed r = st_anytime_need(eight, 8, 0, NAN, .05, 64, 400, key), again;
    STATUS(r.status, ST_OK);
    cr_assert(r.median >= 9 && r.median <= 11 && r.late >= r.median && r.decided > .99, "%zu %zu", r.median, r.late);
    again = st_anytime_need(eight, 8, 0, NAN, .05, 64, 400, key);
    cr_assert(again.median == r.median && again.late == r.late);
    const double even[4] = {1, -1, 1, -1};
    r = st_anytime_need(even, 4, 0, NAN, .05, 12, 400, key);
    cr_assert(r.median == 13 && r.decided < .2, "%zu %g", r.median, r.decided);
    r = st_anytime_need(even, 4, 0, 20, .05, 64, 400, key);
    cr_assert(r.median == 8 && r.late == 8, "within a wide margin: %zu", r.median);
    double done[6] = {1, 1, 1, 1, 1, 1};
    cr_assert(st_anytime_need(done, 6, 0, NAN, .05, 64, 10, key).late == 6);
    STATUS(st_anytime_need(done, 1, 0, NAN, .05, 64, 10, key).status, ST_N_TOO_SMALL);
    STATUS(st_anytime_need(done, 6, 0, NAN, .05, 64, 0, key).status, ST_BAD_ARG);
}

Test(stats_anytime, limits) {
    const double zero[8] = {0}, tiny[7] = {3.1 - 3, 3.2 - 3.1, 3.3 - 3.2, 3.4 - 3.3, 3.5 - 3.4, 3.6 - 3.5, 3.7 - 3.6};
    double shifted[7], p[8];
    STATUS(st_anytime_path(zero, 8, 3, p), ST_OK);
    cr_assert_eq(p[7], 1);
    for (int i = 0; i < 7; i++) shifted[i] = tiny[i] - .1;
    STATUS(st_anytime_path(shifted, 7, 3.7, p), ST_OK);
    cr_assert(p[6] == 1, "rounding is no difference");
    OWNED double *many = mem_alloc(2 * 5000, sizeof *many);
    for (int i = 0; i < 5000; i++) many[i] = 1;
    STATUS(st_anytime_path(many, 5000, 0, many + 5000), ST_OK);
    cr_assert(many[9999] >= 1 / ST_HUGE && many[9999] < 1e-90 && decided_at(many, 5000, .05) == 6);
    STATUS(st_anytime_path(zero, 0, 0, p), ST_N_TOO_SMALL);
    STATUS(st_anytime_path(NULL, 3, 0, p), ST_BAD_ARG);
    STATUS(st_anytime_path((double[]){1, NAN}, 2, 0, p), ST_NONFINITE_INPUT);
    STATUS(st_anytime_inside_path(zero, 3, 0, 0, shifted), ST_BAD_ARG);
    STATUS(st_anytime_inside_path(zero, 0, 0, 1, shifted), ST_N_TOO_SMALL);
    STATUS(st_anytime_ci(zero, 3, 0, 1).status, ST_BAD_ARG);
    STATUS(st_anytime_ci((double[]){1, INFINITY}, 2, 0, .95).status, ST_NONFINITE_INPUT);
}
