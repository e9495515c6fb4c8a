/* Probability of improvement, Bayesian t test.
 * "R": binom.test; "scipy": the example of scipy.stats.mannwhitneyu's documentation; the others are worked by hand. */
#include "stats/chance.h"
#include "stats/paired.h"
#include "tests/stats/test_stats.h"

TestSuite(stats_chance, .init = st_init);

static const StKey KEY = {7, 1};

Test(stats_chance, paired_share_with_exact_limits) {
    StChance maize = st_chance_paired(13, 0, 2, .95); /* Darwin's maize: crossed plants taller in 13 of 15 pairs; R */
    STATUS(maize.status, ST_OK);
    NEAR(maize.share, 13.0 / 15, 1e-15);
    NEAR(maize.lo, .5953973034, 1e-9);
    NEAR(maize.hi, .9834240866, 1e-9);
    NEAR(maize.p, 242.0 / 32768, 1e-15);           /* 2 (1 + 15 + 105) / 2^15 */
    StChance all = st_chance_paired(5, 0, 0, .95); /* lo^5 = .025: five seeds cannot exclude .5, nor can sign flips */
    NEAR(all.lo, pow(.025, .2), 1e-12);
    cr_assert(all.lo < .5 && all.hi == 1.0);
    NEAR(all.p, .0625, 1e-15);
    StChance six = st_chance_paired(0, 0, 6, .95);
    NEAR(six.hi, 1 - pow(.025, 1.0 / 6), 1e-12);
    cr_assert(six.hi < .5 && six.lo == 0.0 && six.share == 0.0 && six.p == .03125);
}

/* 2 wins, 1 tie, 1 loss: from the lower limit of 2 of 4 to the upper one of 3 of 4. */
Test(stats_chance, ties_count_half_and_widen) {
    StChance r = st_chance_paired(2, 1, 1, .95);
    NEAR(r.share, .625, 1e-15);
    NEAR(r.lo, .0675859865, 1e-9);
    NEAR(r.hi, .9936905368, 1e-9);
    NEAR(r.p, 1, 1e-15);
    StChance ties = st_chance_paired(0, 4, 0, .95);
    cr_assert(ties.share == .5 && ties.lo == 0.0 && ties.hi == 1.0 && ties.p == 1.0);
}

/* The interval leaves out .5 exactly when the sign test rejects; with ties, only when it does. */
Test(stats_chance, interval_agrees_with_the_sign_test) {
    for (uint64_t n = 1; n <= 24; n++) {
        for (uint64_t wins = 0; wins <= n; wins++) {
            for (uint64_t ties = 0; ties <= n - wins && ties <= 3; ties++) {
                StChance r = st_chance_paired(wins, ties, n - wins - ties, .95);
                bool out = r.lo > .5 || r.hi < .5;
                cr_assert(ties ? !out || r.p < .05 : out == (r.p < .05), "%d of %d", (int)wins, (int)n);
            }
        }
    }
}

Test(stats_chance, paired_bad_input) {
    STATUS(st_chance_paired(0, 0, 0, .95).status, ST_N_TOO_SMALL);
    STATUS(st_chance_paired(3, 0, 0, 1).status, ST_BAD_ARG);
    STATUS(st_chance_paired(3, 0, 0, NAN).status, ST_BAD_ARG);
    STATUS(st_chance_paired(1000000000, 0, 0, .95).status, ST_BAD_ARG);
    cr_assert(isnan(st_chance_paired(3, 0, 0, 0).share));
}

/* U = 17 of 20 for males 19 22 16 29 24 and females 20 11 17 12. */
Test(stats_chance, mann_whitney_of_a_published_example) {
    const double male[5] = {19, 22, 16, 29, 24}, female[4] = {20, 11, 17, 12};
    StChance r = st_chance_unpaired(female, 4, male, 5, .95, 1000, KEY);
    STATUS(r.status, ST_OK);
    cr_assert(r.wins == 17 && r.ties == 0 && r.total == 20);
    NEAR(r.share, .85, 1e-15);
    cr_assert(r.exact && r.resamples == 256u * 3125u && r.lo < .85 && r.hi == 1.0);
    StChance turned = st_chance_unpaired(male, 5, female, 4, .95, 1000, KEY);
    NEAR(turned.share, .15, 1e-12);
    NEAR(turned.hi, 1 - r.lo, 1e-12);
}

/* a = 1 3, b = 2 4. Of the 16 resamples 1 gives 0, 4 give .5, 4 give .75, 7 give 1; quantiles of type 7 at places .375
 * and 14.625. */
Test(stats_chance, stratified_bootstrap_by_hand) {
    const double a[2] = {1, 3}, b[2] = {2, 4};
    StChance r = st_chance_unpaired(a, 2, b, 2, .95, 100, KEY);
    STATUS(r.status, ST_OK);
    cr_assert(r.exact && r.resamples == 16);
    NEAR(r.share, .75, 1e-15);
    NEAR(r.lo, .1875, 1e-12);
    NEAR(r.hi, 1, 1e-12);
}

/* Random resamples come close to all of them, and are the same for the same key. */
Test(stats_chance, random_resamples) {
    double a[12], b[12];
    for (int i = 0; i < 12; i++) a[i] = i, b[i] = i + 2.5;
    StChance some = st_chance_unpaired(a, 12, b, 12, .9, 20000, KEY),
             again = st_chance_unpaired(a, 12, b, 12, .9, 20000, KEY);
    STATUS(some.status, ST_OK);
    cr_assert(!some.exact && some.resamples == 20000 && some.lo == again.lo && some.hi == again.hi);
    double share = 0; /* a_i < b_j when j >= i - 2 */
    for (int i = 0; i < 12; i++) share += (12 - (i > 2 ? i - 2 : 0)) / 144.0;
    NEAR(some.share, share, 1e-12);
    cr_assert(some.lo > .4 && some.lo < share && some.hi > share && some.hi < .95);
}

Test(stats_chance, unpaired_bad_input) {
    const double a[3] = {1, 2, 3}, b[3] = {4, 5, 6}, tie[2] = {2, 2}, bad[2] = {1, NAN};
    StChance apart = st_chance_unpaired(a, 3, b, 3, .95, 100, KEY);
    STATUS(apart.status, ST_DEGENERATE);
    cr_assert(apart.share == 1.0 && isnan(apart.lo) && isnan(apart.hi));
    StChance tied = st_chance_unpaired(tie, 2, tie, 2, .95, 100, KEY);
    STATUS(tied.status, ST_DEGENERATE);
    cr_assert(tied.share == .5 && tied.ties == 4);
    StChance one = st_chance_unpaired(a, 1, b, 3, .95, 100, KEY);
    STATUS(one.status, ST_N_TOO_SMALL);
    cr_assert(one.share == 1.0);
    STATUS(st_chance_unpaired(a, 0, b, 3, .95, 100, KEY).status, ST_N_TOO_SMALL);
    STATUS(st_chance_unpaired(a, 3, NULL, 0, .95, 100, KEY).status, ST_N_TOO_SMALL);
    STATUS(st_chance_unpaired(bad, 2, b, 3, .95, 100, KEY).status, ST_NONFINITE_INPUT);
    STATUS(st_chance_unpaired(b, 3, bad, 2, .95, 100, KEY).status, ST_NONFINITE_INPUT);
    STATUS(st_chance_unpaired(a, 3, b, 3, 1, 100, KEY).status, ST_BAD_ARG);
    STATUS(st_chance_unpaired(a, 3, b, 3, .95, 0, KEY).status, ST_BAD_ARG);
    STATUS(st_chance_unpaired(a, 100000, b, 100000, .95, 100, KEY).status, ST_BAD_ARG);
}

/* Student 1908 read his curve as such a posterior: the probability that drug 2 gives more sleep than none, .9974, and
 * than drug 1, .9985. */
Test(stats_chance, posterior_published) {
    const double two[10] = {1.9, .8, 1.1, .1, -.1, 4.4, 5.5, 1.6, 4.6, 3.4};
    const double more[10] = {1.2, 2.4, 1.3, 1.3, 0, 1, 1.8, .8, 4.6, 1.4};
    NEAR(st_posterior(two, 10, 0, 0).above, .9974, 1e-4);
    StPosterior r = st_posterior(more, 10, 0, 0);
    NEAR(r.above, .9985, 1e-4);
    NEAR(r.above, 1 - .002832890197384273 / 2, 1e-14); /* half of scipy's two-sided p */
    NEAR(r.inside, 0, 1e-15);
    NEAR(r.below + r.above, 1, 1e-15);
}

/* t with 1 degree of freedom is 1/2 + atan(x) / pi; with 2 it is 1/2 + x / (2 sqrt(2 + x^2)). */
Test(stats_chance, posterior_by_hand) {
    const double two[2] = {1, 3}, three[3] = {1, 2, 3}; /* mean 2, se 1; mean 2, se 1 / sqrt 3 */
    StPosterior r = st_posterior(two, 2, 0, 1);
    STATUS(r.status, ST_OK);
    NEAR(r.below, .5 - atan(3) / M_PI, 1e-12);
    NEAR(r.above, .75, 1e-12);
    NEAR(r.inside, .25 - r.below, 1e-12);
    r = st_posterior(three, 3, 0, 1);
    NEAR(r.below, .5 - sqrt(27) / (2 * sqrt(29)), 1e-12);
    NEAR(r.above, .5 + sqrt(3) / (2 * sqrt(5)), 1e-12);
    NEAR(r.inside, .0951526, 1e-6);
    const double turned[3] = {-1, -2, -3};
    StPosterior t = st_posterior(turned, 3, 0, 1);
    NEAR(t.below, r.above, 1e-15);
    NEAR(t.inside, r.inside, 1e-15);
    NEAR(st_posterior(three, 3, 0, 1e9).inside, 1, 1e-12);
}

Test(stats_chance, posterior_bad_input) {
    const double d[3] = {1, 2, 4}, same[3] = {.1, .1, .1}, bad[3] = {1, 2, INFINITY};
    STATUS(st_posterior(d, 0, 0, 1).status, ST_N_TOO_SMALL);
    STATUS(st_posterior(d, 1, 0, 1).status, ST_N_TOO_SMALL);
    STATUS(st_posterior(same, 3, 0, 1).status, ST_DEGENERATE);
    STATUS(st_posterior(bad, 3, 0, 1).status, ST_NONFINITE_INPUT);
    STATUS(st_posterior(d, 3, 0, -1).status, ST_BAD_ARG);
    STATUS(st_posterior(d, 3, 0, NAN).status, ST_BAD_ARG);
    STATUS(st_posterior(d, 3, 0, INFINITY).status, ST_BAD_ARG);
    cr_assert(isnan(st_posterior(d, 1, 0, 1).inside));
}
