/* Friedman's test, interquartile means, performance profiles and intervals of standard deviations: published examples
 * and what a few values give by hand. */
#include "stats/friedman.h"
#include "stats/profile.h"
#include "stats/variance.h"
#include "tests/stats/test_stats.h"

static const StKey KEY = {20260, 7};

TestSuite(stats_tasks, .init = st_init);

/* Ranks of C4.5 with four settings on 14 data sets (Demsar 2006, table 6). */
static const double demsar[4][14] = {{4, 1, 4, 4, 4, 1, 3, 2.5, 4, 2.5, 4, 3, 4, 3},
                                     {3, 2, 1, 1, 2, 2.5, 2, 2.5, 3, 2.5, 2.5, 2, 1, 1},
                                     {2, 3, 2, 3, 3, 4, 4, 4, 2, 2.5, 1, 4, 2, 4},
                                     {1, 4, 3, 2, 1, 2.5, 1, 1, 1, 2.5, 2.5, 1, 3, 2}};

Test(stats_tasks, demsar_s_average_ranks) {
    double rank[4], pair[16];
    StFriedman f = st_friedman(demsar[0], 4, 14, .05, KEY, rank, pair);
    STATUS(f.status, ST_OK);
    NEAR(rank[0], 3.143, .0005);
    NEAR(rank[1], 2.000, .0005);
    NEAR(rank[2], 2.893, .0005);
    NEAR(rank[3], 1.964, .0005);
    NEAR(f.chi2, 9.28, .005);
    cr_assert(!f.exact && f.total == 100001);
    NEAR(f.p, .0167, .004);      /* chi-square of 9.28 corrected for ties, 10.23; without it .026 */
    NEAR(f.critical, 1.25, .08); /* Nemenyi's, of many blocks; this one is a multiple of 1/28 */
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++) {
            cr_expect_eq(pair[4 * a + b] < .05, fabs(rank[a] - rank[b]) >= f.critical - 1e-12, "%d %d", a, b);
            cr_expect(a != b || pair[4 * a + b] == 1);
        }
}

/* Friedman's own tables: P(chi2 >= 4) = .167 for two blocks of three, P(>= 6) = .028 for three, P(>= 6.5) = .042 for
 * four; and for two arms it is the sign test. */
Test(stats_tasks, friedman_s_tables) {
    static const struct {
        double x[12];
        size_t k, n;
        double chi2, p;
    } rows[] = {{{1, 1, 2, 2, 3, 3}, 3, 2, 4, 1. / 6},
                {{1, 1, 1, 2, 2, 2, 3, 3, 3}, 3, 3, 6, 1. / 36},
                {{1, 1, 1, 2, 2, 2, 2, 1, 3, 3, 3, 3}, 3, 4, 6.5, 9. / 216},
                {{.1, .3, .2, .5, .4, .6}, 2, 3, 3, 1. / 4}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double rank[3], pair[9];
        StFriedman f = st_friedman(rows[i].x, rows[i].k, rows[i].n, .05, KEY, rank, pair);
        STATUS(f.status, ST_OK);
        NEAR(f.chi2, rows[i].chi2, 1e-12);
        NEAR(f.p, rows[i].p, 1e-12);
        cr_expect(f.exact, "%zu", i);
    }
}

Test(stats_tasks, infinity_ranks_last_and_few_blocks_show_nothing) {
    const double x[] = {1, 2, (double)INFINITY, 4, (double)INFINITY, 5}, bad[] = {1, (double)NAN, 2, 3};
    double rank[3], pair[9];
    StFriedman f = st_friedman(x, 3, 2, .05, KEY, rank, pair);
    STATUS(f.status, ST_OK);
    cr_assert(rank[0] == 1 && rank[1] == 2.25 && rank[2] == 2.75);
    cr_assert(isnan(f.critical), "six relabellings cannot be below .05");
    STATUS(st_friedman(bad, 2, 2, .05, KEY, rank, NULL).status, ST_NONFINITE_INPUT);
    STATUS(st_friedman(x, 3, 1, .05, KEY, rank, NULL).status, ST_N_TOO_SMALL);
    STATUS(st_friedman(x, 1, 3, .05, KEY, rank, NULL).status, ST_N_TOO_SMALL);
    STATUS(st_friedman(NULL, 2, 2, .05, KEY, rank, NULL).status, ST_BAD_ARG);
}

/* Tasks that differ are no spread: only runs within them are drawn. */
Test(stats_tasks, draws_stay_within_tasks) {
    const double apart[] = {1, 1, 1, 1, 5, 5, 5, 5}, base[] = {2, 2, 2, 2, 5, 5, 5, 5}, bad[] = {1, (double)NAN};
    StTaskIqm r = st_task_iqm(apart, base, 2, 4, .95, KEY);
    STATUS(r.status, ST_OK);
    cr_assert(r.iqm == 3 && r.lo == 3 && r.hi == 3);
    cr_assert(r.difference == -.5 && r.minus.lo == -.5 && r.minus.hi == -.5);
    r = st_task_iqm(apart, NULL, 8, 1, .95, KEY);
    STATUS(r.status, ST_N_TOO_SMALL);
    cr_assert(r.iqm == 3 && isnan(r.lo) && isnan(r.difference));
    STATUS(st_task_iqm(bad, NULL, 1, 2, .95, KEY).status, ST_NONFINITE_INPUT);
    STATUS(st_task_iqm(apart, bad, 1, 2, .95, KEY).status, ST_NONFINITE_INPUT);
    STATUS(st_task_iqm(apart, NULL, 1, 2, 1, KEY).status, ST_BAD_ARG);
    /* rliable takes scipy.stats.trim_mean(x, 0.25) of the runs of all tasks: of 1 … 8 that is 4.5. */
    cr_assert(st_task_iqm((double[]){8, 1, 7, 2, 6, 3, 5, 4}, NULL, 2, 4, .95, KEY).iqm == 4.5);
    /* Pairs stay together: an arm that is the baseline plus one is so in every draw. */
    const double x[] = {1, 4, 2, 9, 5, 3}, up[] = {2, 5, 3, 10, 6, 4};
    r = st_task_iqm(up, x, 1, 6, .95, KEY);
    cr_assert(r.lo < r.hi);
    NEAR(r.minus.lo, 1, 1e-12);
    NEAR(r.minus.hi, 1, 1e-12);
    /* Two runs of one task: 0, 1/2 or 1 with the chances 1/4, 1/2, 1/4. */
    r = st_task_iqm((double[]){0, 1}, NULL, 1, 2, .95, KEY);
    cr_assert(r.iqm == .5 && r.lo == 0 && r.hi == 1);
    r = st_task_iqm((double[]){0, 1}, NULL, 1, 2, .4, KEY);
    cr_assert(r.lo == .5 && r.hi == .5);
}

Test(stats_tasks, profiles_are_shares) {
    const double x[] = {1, 2, 3, 4, 11, 12, 13, 14}, tau[] = {0, 1, 2.5, 5, 12, 20};
    const double share[] = {0, 1. / 8, 2. / 8, 4. / 8, 6. / 8, 1};
    StBand band[6];
    STATUS(st_performance(x, 2, 4, 0, tau, 6, .95, KEY, band), ST_OK);
    for (int i = 0; i < 6; i++) {
        NEAR(band[i].share, share[i], 1e-15);
        cr_expect(band[i].lo <= band[i].share && band[i].share <= band[i].hi, "%d", i);
    }
    cr_expect(band[3].lo == .5 && band[3].hi == .5, "between the tasks nothing varies");
    cr_expect(band[5].lo == 1 && band[0].hi == 0);
    NEAR(band[2].lo, 0, 1e-12); /* binomial(4, 1/2) of 8: P(0) = 1/16 > .025 */
    NEAR(band[2].hi, .5, 1e-12);
    STATUS(st_performance(x, 8, 1, 0, tau, 6, .95, KEY, band), ST_N_TOO_SMALL);
    cr_expect(fabs(band[2].share - .25) < 1e-15 && isnan(band[2].lo));
}

/* 2.9 - 3 and 0.9 - 1 are -0.1 as decimals, and neither is the double -0.1; likewise 0.1. */
Test(stats_tasks, scores_at_a_tau_are_at_it) {
    const double x[] = {2.9 - 3, 3.1 - 3, .9 - 1, 1.1 - 1}, tau[] = {-.1, 0, .1};
    StBand band[3];
    STATUS(st_performance(x, 2, 2, 3.1, tau, 3, .95, KEY, band), ST_OK);
    cr_expect(band[0].share == .5 && band[1].share == .5 && band[2].share == 1, "%g %g %g", band[0].share,
              band[1].share, band[2].share);
    cr_expect(band[0].hi == 1 && band[2].lo == 1);
}

/* Chi-square tables: with 9 degrees of freedom the quantiles .025 and .975 are 2.700 and 19.023. */
Test(stats_tasks, standard_deviations_have_chi_square_intervals) {
    double x[10];
    for (int i = 0; i < 10; i++) x[i] = i % 2 ? 3 : 1;
    StSd one = st_sd(x, 10, .95);
    STATUS(one.status, ST_OK);
    NEAR(one.sd, sqrt(10. / 9), 1e-12);
    NEAR(one.lo, sqrt(10 / 19.023), 1e-4);
    NEAR(one.hi, sqrt(10 / 2.700), 2e-4);
    StSd same = st_sd((double[]){2, 2, 2}, 3, .95);
    cr_assert(same.status == ST_OK && same.sd == 0 && same.lo == 0 && same.hi == 0);
    /* Two parts of equal variance have the degrees of freedom of both; one that is 0 adds nothing. */
    StSd sum = st_sd_of_sum((StSd[]){one, one}, 2, .95);
    NEAR(sum.sd, sqrt(20. / 9), 1e-12);
    NEAR(sum.df, 18, 1e-12);
    sum = st_sd_of_sum((StSd[]){one, same}, 2, .95);
    NEAR(sum.sd, one.sd, 1e-12);
    NEAR(sum.hi, one.hi, 1e-12);
    STATUS(st_sd(x, 1, .95).status, ST_N_TOO_SMALL);
    STATUS(st_sd((double[]){1, (double)NAN}, 2, .95).status, ST_NONFINITE_INPUT);
    STATUS(st_sd(x, 10, 0).status, ST_BAD_ARG);
    STATUS(st_sd_of_sum((StSd[]){one, st_sd(x, 1, .95)}, 2, .95).status, ST_N_TOO_SMALL);
}
