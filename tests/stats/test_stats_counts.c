/* Adjusted p, equality of variances, counts.
 * Reference values named "scipy" come from scipy 1.17.1 (beta.ppf, levene, pearsonr, fisher_exact,
 * binomtest) and statsmodels 0.14 (multipletests) on the data shown; the others are worked by hand.
 */
#include "stats/counts.h"
#include "stats/multiple.h"
#include "stats/rng.h"
#include "stats/variance.h"
#include "tests/stats/test_stats.h"

TestSuite(stats_counts, .init = st_init);

Test(stats_counts, adjusted_p) {
    const double p[5] = {.01, .04, .03, .005, .5}; /* statsmodels */
    const double holm[5] = {.04, .09, .09, .025, .5}, hoch[5] = {.04, .08, .08, .025, .5};
    const double bh[5] = {.025, .05, .05, .025, .5};
    double adj[5];
    STATUS(st_holm(p, 5, adj), ST_OK);
    for (int i = 0; i < 5; i++) NEAR(adj[i], holm[i], 1e-15);
    STATUS(st_hochberg(p, 5, adj), ST_OK);
    for (int i = 0; i < 5; i++) NEAR(adj[i], hoch[i], 1e-15);
    STATUS(st_bh(p, 5, adj), ST_OK);
    for (int i = 0; i < 5; i++) NEAR(adj[i], bh[i], 1e-15);
}

Test(stats_counts, monotone_clipped_and_in_place) {
    double p[3] = {.02, .015, .9}, adj[3];
    st_holm(p, 3, adj); /* .045, max(.045, .04), .9 */
    NEAR(adj[1], .045, 1e-16);
    NEAR(adj[0], .045, 1e-16);
    double q[3] = {.6, .5, .4};
    STATUS(st_holm(q, 3, q), ST_OK);
    cr_assert(q[0] == 1 && q[1] == 1 && q[2] == 1);
    double h[2] = {.04, .05};
    st_hochberg(h, 2, h);
    cr_assert(h[0] == .05 && h[1] == .05);
    double five[3] = {.0625, .0625, .0625}; /* five seeds, three comparisons: Holm cannot go below .1875 */
    st_holm(five, 3, five);
    NEAR(five[0], .1875, 1e-16);
    double tie[4] = {.2, .01, .2, .01};
    st_holm(tie, 4, tie);
    cr_assert(tie[0] == tie[2] && tie[1] == tie[3] && tie[1] == .04 && tie[0] == .4);
}

Test(stats_counts, failed_comparisons_still_count) {
    const double p[4] = {NAN, .01, NAN, .02};
    double adj[4];
    STATUS(st_holm(p, 4, adj), ST_OK);
    cr_assert(isnan(adj[0]) && isnan(adj[2]));
    NEAR(adj[1], .04, 1e-16);
    NEAR(adj[3], .06, 1e-16);
    STATUS(st_hochberg(p, 4, adj), ST_OK);
    NEAR(adj[1], .04, 1e-16);
    NEAR(adj[3], .06, 1e-16);
    STATUS(st_bh(p, 4, adj), ST_OK);
    NEAR(adj[3], .04, 1e-16);
    NEAR(adj[1], .04, 1e-16);
    double low[1] = {-.1}, high[1] = {1.1}, out[1] = {7};
    STATUS(st_holm(low, 1, out), ST_BAD_ARG);
    STATUS(st_bh(high, 1, out), ST_BAD_ARG);
    cr_assert(out[0] == 7);
    STATUS(st_holm(p, 0, adj), ST_OK);
    STATUS(st_hochberg(NULL, 0, NULL), ST_OK);
    double many[1000];
    for (int i = 0; i < 1000; i++) many[i] = (i + 1) / 1000.0;
    STATUS(st_holm(many, 1000, many), ST_OK);
    cr_assert(many[0] == 1.0 && many[999] == 1.0);
}

Test(stats_counts, levene_with_medians) {
    const double a[5] = {10.1, 9.8, 10.4, 10.0, 9.9}, b[5] = {8.0, 12.5, 9.1, 11.7, 10.2};
    StVariance r = st_levene(a, 5, b, 5); /* scipy levene(center='median') */
    STATUS(r.status, ST_OK);
    NEAR(r.stat, 8.82, 1e-12);
    NEAR(r.p, 0.017875279942681243, 1e-13);
    NEAR(r.ratio, 0.015657311669128496, 1e-13);
    cr_assert(r.df1 == 1 && r.df2 == 8);
    StVariance s = st_levene(b, 5, a, 5);
    NEAR(s.p, r.p, 1e-15);
    STATUS(st_levene(a, 2, b, 2).status, ST_DEGENERATE);
    STATUS(st_levene(a, 2, b, 3).status, ST_OK);
    STATUS(st_levene(a, 1, b, 3).status, ST_N_TOO_SMALL);
    STATUS(st_levene(a, 3, b, 1).status, ST_N_TOO_SMALL);
    STATUS(st_levene(a, 3, b, 0).status, ST_N_TOO_SMALL);
    STATUS(st_levene(NULL, 0, NULL, 0).status, ST_N_TOO_SMALL);
    STATUS(st_levene(a, 3, NULL, 0).status, ST_N_TOO_SMALL);
    STATUS(st_levene(NULL, 3, b, 3).status, ST_BAD_ARG);
    STATUS(st_levene(a, 3, NULL, 3).status, ST_BAD_ARG);
    STATUS(st_levene((double[]){1, NAN}, 2, b, 3).status, ST_NONFINITE_INPUT);
    double flat[3] = {.1, .1, .1};
    r = st_levene(a, 3, flat, 3);
    cr_assert(isnan(r.ratio) && r.status == ST_OK);
}

Test(stats_counts, pitman_morgan) {
    const double a[5] = {10.1, 9.8, 10.4, 10.0, 9.9}, b[5] = {8.0, 12.5, 9.1, 11.7, 10.2};
    StVariance r = st_pitman_morgan(a, b, 5); /* scipy pearsonr(a + b, a - b) */
    STATUS(r.status, ST_OK);
    NEAR(r.stat, -9.209246772418412, 1e-11);
    NEAR(r.p, 0.0027080966408562774, 1e-13);
    NEAR(r.ratio, 0.015657311669128496, 1e-13);
    cr_assert(r.df1 == 3 && isnan(r.df2));
    const double ra[5] = {10.0, 9.9, 10.4, 9.8, 10.1}, rb[5] = {11.7, 10.2, 9.1, 12.5, 8.0};
    cr_assert(st_pitman_morgan(ra, rb, 5).p == r.p, "seed order must not matter");
    StVariance s = st_pitman_morgan(b, a, 5);
    NEAR(s.stat, -r.stat, 1e-11);
    STATUS(st_pitman_morgan(a, b, 2).status, ST_N_TOO_SMALL);
    STATUS(st_pitman_morgan(NULL, b, 3).status, ST_BAD_ARG);
    STATUS(st_pitman_morgan(a, NULL, 3).status, ST_BAD_ARG);
    STATUS(st_pitman_morgan(a, (double[]){1, 2, INFINITY}, 3).status, ST_NONFINITE_INPUT);
    STATUS(st_pitman_morgan((double[]){NAN, 2, 1}, b, 3).status, ST_NONFINITE_INPUT);
    const double twice[3] = {2, 4, 9}, once[3] = {1, 2, 4.5}, minus[3] = {-2, -4, -9};
    STATUS(st_pitman_morgan(twice, once, 3).status, ST_DEGENERATE);
    STATUS(st_pitman_morgan(twice, minus, 3).status, ST_DEGENERATE);
    const double flat[4] = {2, 2, 2, 2}, step[4] = {1, 1, 2, 4}, other[4] = {3, 1, 1, 2};
    r = st_pitman_morgan(step, flat, 4);
    cr_assert(r.status == ST_DEGENERATE && isnan(r.ratio));
    STATUS(st_pitman_morgan(step, other, 4).status, ST_OK);
}

/* The audit's example: arms that differ by 1e-8. Its p in exact rational arithmetic is .3029. */
Test(stats_counts, pitman_morgan_does_not_cancel) {
    const double b[6] = {20.1, 23.7, 18.2, 25.9, 21.4, 19.6}, by[6] = {3, -2, 5, 1, -4, 2};
    double a[6];
    for (int i = 0; i < 6; i++) a[i] = b[i] + by[i] * 1e-8;
    StVariance r = st_pitman_morgan(a, b, 6);
    STATUS(r.status, ST_OK);
    NEAR(r.p, 0.3029, 5e-5);
}

static double variance_of(const double *x, int n) {
    double mean = 0, sum = 0;
    for (int i = 0; i < n; i++) mean += x[i] / n;
    for (int i = 0; i < n; i++) sum += (x[i] - mean) * (x[i] - mean);
    return sum;
}

/* Swaps counted a slow second way: both arms written out for every pattern, their variances made anew. */
static double swapped_p(const double *a, const double *b, int n, bool about) {
    double x[16], y[16], mean_a = 0, mean_b = 0, seen = 0;
    int count = 0;
    for (int i = 0; i < n && about; i++) mean_a += a[i] / n, mean_b += b[i] / n;
    for (int pattern = 0; pattern < 1 << n; pattern++) {
        for (int i = 0; i < n; i++) {
            x[i] = pattern >> i & 1 ? b[i] - mean_b : a[i] - mean_a;
            y[i] = pattern >> i & 1 ? a[i] - mean_a : b[i] - mean_b;
        }
        double ratio = fabs(log(variance_of(x, n) / variance_of(y, n)));
        seen = pattern == 0 ? ratio : seen;
        count += ratio >= seen - 1e-9;
    }
    return (double)count / (1 << n);
}

/* Swaps as they are and about the arms' means, the larger p of both; all seeds, and each left out. */
static void swapped(const double *a, const double *b, int n, double *all, double *left_out) {
    *all = *left_out = fmax(swapped_p(a, b, n, false), swapped_p(a, b, n, true));
    for (int skip = 0; skip < n; skip++) {
        double x[16], y[16];
        int m = 0;
        for (int i = 0; i < n; i++)
            if (i != skip) x[m] = a[i], y[m++] = b[i];
        *left_out = fmax(*left_out, fmax(swapped_p(x, y, m, false), swapped_p(x, y, m, true)));
    }
}

Test(stats_counts, pitman_morgan_by_swaps) {
    const double a[8] = {1.0, 1.2, .8, 1.1, .9, 1.05, .95, 6.0}, b[8] = {1.1, .9, 1.3, .7, 1.2, .8, 1.0, 1.1};
    double all, left_out;
    swapped(a, b, 8, &all, &left_out);
    StVariance r = st_pitman_morgan(a, b, 8);
    cr_assert(r.p_swap == all && r.p_left_out == left_out && r.p_min == 2. / 128);
    cr_assert(r.p < .001 && r.p_left_out > .05, "one outlying seed: %g by t, %g by swaps", r.p, r.p_left_out);
    LOCAL(rng_release) gsl_rng *rng = st_rng_new((StKey){4, 9});
    for (int sample = 0; sample < 40; sample++) {
        double x[7], y[7];
        for (int i = 0; i < 7; i++)
            x[i] = .3 * (sample % 4) + (double)gsl_rng_get(rng) / 4294967296. * (1 + sample % 3),
            y[i] = (double)gsl_rng_get(rng) / 4294967296. + (sample % 2 ? x[i] : 0);
        swapped(x, y, 7, &all, &left_out);
        r = st_pitman_morgan(x, y, 7);
        cr_assert(r.p_swap == all && r.p_left_out == left_out, "sample %d: %g %g, not %g %g", sample, r.p_swap,
                  r.p_left_out, all, left_out);
    }
    double many_a[40], many_b[40];
    for (int i = 0; i < 40; i++) many_a[i] = (i * 7919 % 97) / 97., many_b[i] = .1 * (i * 104729 % 89) / 89.;
    r = st_pitman_morgan(many_a, many_b, 40);
    cr_assert(r.status == ST_OK && r.p_swap < .01 && r.p_left_out < .01 && r.p_left_out >= r.p_swap && r.ratio > 50);
    double scaled[5] = {20, 21, 23, 20.5, 22}, same[5] = {0, 3, 1, 2, 5};
    StVariance left = st_pitman_morgan(scaled, same, 5), right = st_pitman_morgan(same, scaled, 5);
    cr_assert(left.p_swap == right.p_swap && left.p_left_out == right.p_left_out, "which arm is first must not matter");
}

/* Two runs of eight stall in one arm: its p was .0078 as long as swaps kept the statistic's means (.39 and .78 in
 * fractions). Decimals whose products are 0 tie: p 1 in fractions, and .0078 where 1e-17 counts. */
Test(stats_counts, pitman_morgan_stalls_and_ties) {
    const double base[8] = {2.91, 2.98, 3.17, 3.1, 2.84, 3.01, 2.9, 3.06};
    const double stalls[8] = {2.9, 3.0, 4.56, 3.05, 2.82, 4.39, 2.95, 3.01};
    StVariance r = st_pitman_morgan(stalls, base, 8);
    cr_assert(r.p < 1e-4 && r.p_swap == .390625 && r.p_left_out == .78125, "%g %g", r.p_swap, r.p_left_out);
    const double x[9] = {1.11, 2.21, 3.31, 4.41, 1.51, 2.61, 3.71, 4.81, 4.84};
    double y[9];
    for (int i = 0; i < 9; i++) y[i] = x[i] + (i < 7 ? .01 : i == 7 ? .03 : -.01);
    r = st_pitman_morgan(y, x, 9);
    cr_assert(r.p_swap == 1 && r.p_left_out == 1, "%.17g %.17g", r.p_swap, r.p_left_out);
}

Test(stats_counts, clopper_pearson) {
    StCp r = st_cp(3, 5, .95); /* scipy beta.ppf */
    NEAR(r.lo, 0.14663279963467313, 1e-12);
    NEAR(r.hi, 0.9472550494736831, 1e-12);
    r = st_cp(0, 5, .95);
    cr_assert(r.lo == 0);
    NEAR(r.hi, 1 - pow(.025, 0.2), 1e-13);
    r = st_cp(5, 5, .95);
    cr_assert(r.hi == 1);
    NEAR(r.lo, pow(.025, 0.2), 1e-13);
    r = st_cp(50, 1000, .95);
    NEAR(r.lo, 0.03733539760466178, 1e-11);
    NEAR(r.hi, 0.06539048791549364, 1e-11);
    r = st_cp(1, 100000, .95);
    NEAR(r.lo * 100000, 0.0253178, 1e-6); /* near Poisson: -ln .975 */
    STATUS(st_cp(0, 0, .95).status, ST_N_TOO_SMALL);
    STATUS(st_cp(6, 5, .95).status, ST_BAD_ARG);
    STATUS(st_cp(1, 5, 1).status, ST_BAD_ARG);
    STATUS(st_cp(1, 5, NAN).status, ST_BAD_ARG);
    for (uint64_t n = 1; n < 40; n++) { /* the defining equation, for every k */
        for (uint64_t k = 0; k <= n; k++) {
            r = st_cp(k, n, .9);
            StCp mirror = st_cp(n - k, n, .9);
            cr_assert(r.lo * (double)n <= (double)k && (double)k <= r.hi * (double)n);
            NEAR(r.lo, 1 - mirror.hi, 1e-15);
        }
    }
}

Test(stats_counts, mcnemar) {
    StMcnemar r = st_mcnemar(0, 5);
    cr_assert(r.p == 0.0625 && r.p_min == 0.0625);
    r = st_mcnemar(1, 9); /* 2 (1 + 10) / 1024 */
    NEAR(r.p, 22.0 / 1024, 1e-15);
    NEAR(r.p_min, 2.0 / 1024, 1e-18);
    cr_assert(st_mcnemar(9, 1).p == r.p);
    cr_assert(st_mcnemar(3, 3).p == 1.0);
    r = st_mcnemar(20, 60); /* scipy binomtest(20, 80, .5) */
    NEAR(r.p, 8.56e-06, 1e-7);
    NEAR(st_mcnemar(0, 70).p, 2 * pow(.5, 70), 1e-30);
    NEAR(st_mcnemar(8123, 8011).p, 0.3821840215759241, 1e-10); /* binomials summed in exact fractions */
    NEAR(st_mcnemar(8011, 8400).p, 0.0024546123647680687, 1e-12);
    r = st_mcnemar(0, 0);
    cr_assert(r.status == ST_OK && r.p == 1 && r.p_min == 1);
    STATUS(st_mcnemar(UINT64_MAX, 1).status, ST_BAD_ARG);
    STATUS(st_mcnemar(1, UINT64_MAX).status, ST_BAD_ARG);
}

Test(stats_counts, fisher) {
    StFisher r = st_fisher(3, 1, 1, 3); /* the lady tasting tea, two-sided: 34/70 */
    NEAR(r.p, 34.0 / 70, 1e-13);
    NEAR(r.p_min, 2.0 / 70, 1e-13);
    cr_assert(r.odds == 9);
    NEAR(st_fisher(8, 2, 1, 5).p, 0.034965034965034975, 1e-13); /* scipy */
    r = st_fisher(0, 5, 4, 1);
    NEAR(r.p, 0.04761904761904762, 1e-13);
    cr_assert(r.odds == 0);
    r = st_fisher(0, 5, 0, 5);
    cr_assert(r.p == 1 && r.p_min == 1 && isnan(r.odds));
    cr_assert(isnan(st_fisher(5, 0, 1, 4).odds));
    STATUS(st_fisher(0, 0, 0, 0).status, ST_N_TOO_SMALL);
    STATUS(st_fisher(UINT64_MAX, 0, 0, 0).status, ST_BAD_ARG);
    STATUS(st_fisher(0, UINT64_MAX, 0, 0).status, ST_BAD_ARG);
    STATUS(st_fisher(0, 0, UINT64_MAX, 0).status, ST_BAD_ARG);
    STATUS(st_fisher(0, 0, 0, UINT64_MAX).status, ST_BAD_ARG);
}

/* Conover's table of ranks for the median at 95 %: 2 of 10, 6 of 20, 14 of 40; below 6 numbers none. */
Test(stats_counts, ranks_of_a_median) {
    const unsigned known[][2] = {{0, 0}, {5, 0}, {6, 1}, {8, 1}, {9, 2}, {10, 2}, {20, 6}, {40, 14}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        unsigned low = st_median_rank(known[i][0], .95);
        cr_expect_eq(low, known[i][1], "%u numbers: rank %u", known[i][0], low);
    }
}
