/* Statuses, pairing, paired t, effect sizes, interquartile mean, equivalence.
 * Reference values named "scipy" come from scipy 1.17.1 (ttest_1samp, beta.ppf, levene, pearsonr,
 * fisher_exact, trim_mean, t.sf) and statsmodels 0.14 (multipletests) on the data shown; the others
 * are worked by hand. */
#include <stdlib.h>

#include "base/error.h"
#include "stats/paired.h"
#include "stats/replication.h"
#include "stats/variance.h"
#include "tests/stats/test_stats.h"

/* Loss of five seeds, two arms; d = -.07 -.02 -.12 .05 -.17. */
static const double arm_a[5] = {1.83, 1.94, 1.77, 2.10, 1.69};
static const double arm_b[5] = {1.90, 1.96, 1.89, 2.05, 1.86};
/* Darwin's maize, crossed minus self-fertilised, eighths of an inch (Fisher 1935, chapter 3). */
static const double maize[15] = {49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48};
/* Cushny and Peebles' sleep data, as in Student 1908: drug 2 minus drug 1. */
static const double sleep_gain[10] = {1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4};

static void differences(double *d) {
    for (int i = 0; i < 5; i++) d[i] = arm_a[i] - arm_b[i];
}

TestSuite(stats, .init = st_init);

Test(stats, texts_and_limits) {
    for (int s = 0; s < ST_STATUS_COUNT; s++) {
        cr_assert_neq(st_status_text((StStatus)s)[0], '\0');
        cr_assert_str_neq(st_status_text((StStatus)s), "unknown status");
    }
    cr_assert_str_eq(st_status_text((StStatus)99), "unknown status");
    cr_assert_eq(st_tol(1.0), 0x1p-46);
    cr_assert_eq(st_tol(0.0), ST_TINY);
    double a[3] = {1, -5, NAN}, b[3] = {2, 3, INFINITY};
    cr_assert_eq(st_scale(a, b, 3), 5.0);
    LOCAL(st_sample_release) StSample s;
    STATUS(st_sample_init(&s, a, 0, 0.0), ST_N_TOO_SMALL);
    STATUS(st_sample_init(&s, NULL, 2, 0.0), ST_BAD_ARG);
    STATUS(st_sample_init(&s, b, 2, -1.0), ST_BAD_ARG);
    STATUS(st_sample_init(&s, b, 2, NAN), ST_BAD_ARG);
    STATUS(st_sample_init(&s, b, 2, INFINITY), ST_NONFINITE_INPUT);
    STATUS(st_sample_init(&s, a, 3, 0.0), ST_NONFINITE_INPUT);
    double x[4] = {3.0, -1e-15, -2.0, 1e-13};
    STATUS(st_sample_init(&s, x, 4, 4.0), ST_OK);
    cr_assert(s.x[0] == -2.0 && s.x[1] == 0.0 && s.x[2] == 1e-13 && s.x[3] == 3.0);
}

Test(stats, ends_without_gsl_memory, .exit_code = RC_UNMEASURED) {
    double one = 1;
    cr_assert_eq(st_or_end(&one), &one);
    st_or_end(NULL);
    cr_assert(false, "goes on");
}

/* More bytes than a number of bytes can say. */
Test(stats, ends_where_a_size_overflows, .exit_code = RC_UNMEASURED) {
    StRun run = {1, 1, ST_RUN_OK};
    volatile size_t most = SIZE_MAX / 2;
    st_pair(&run, most, &run, 1, 1);
}

Test(stats, t_interval_of_five_seeds) {
    double d[5];
    differences(d);
    StTci r = st_tci(d, 5, st_scale(arm_a, arm_b, 5), 0.95);
    STATUS(r.status, ST_OK); /* scipy */
    NEAR(r.mean, -0.066, 1e-15);
    NEAR(r.sd, 0.08561541917201608, 1e-15);
    NEAR(r.t, -1.7237606022633774, 1e-13);
    NEAR(r.p, 0.15984504701211452, 1e-14);
    NEAR(r.lo, -0.1723055836770166, 1e-9); /* scipy's t quantile is good to 1e-9 */
    NEAR(r.hi, 0.04030558367701677, 1e-9);
    NEAR(r.se * sqrt(5.0), r.sd, 1e-16);
    cr_assert(r.df == 4.0 && r.n == 5 && r.conf == 0.95);
}

Test(stats, t_interval_published) {
    StTci r = st_tci(maize, 15, 0.0, 0.95);
    NEAR(r.mean, 20.0 + 14.0 / 15.0, 1e-12); /* Fisher: 20.93, t = 2.148, P just below 5 % */
    NEAR(r.t, 2.1479874613311205, 1e-12);
    NEAR(r.p, 0.049702944021800866, 1e-13);
    NEAR(r.lo, 0.031193318392979563, 1e-6);
    NEAR(r.hi, 41.83547334827369, 1e-6);
    r = st_tci(sleep_gain, 10, 0.0, 0.95);
    NEAR(r.t, 4.062127683382037, 1e-12);
    NEAR(r.p, 0.002832890197384273, 1e-14);
    double two[2] = {1.0, 3.0}; /* t_1 quantile .975 = tan(.475 pi) */
    r = st_tci(two, 2, 0.0, 0.95);
    NEAR(r.hi, 2.0 + tan(0.475 * M_PI), 1e-10);
}

Test(stats, t_interval_refuses) {
    double nothing[3] = {0, 0, 0}, bad[3] = {1, NAN, 2}, inf[3] = {1, INFINITY, 2}, big[3] = {1e308, 1, 2};
    STATUS(st_tci(NULL, 0, 0, .95).status, ST_N_TOO_SMALL);
    StTci r = st_tci((double[]){0.25}, 1, 0, .95);
    STATUS(r.status, ST_N_TOO_SMALL);
    cr_assert(r.mean == 0.25 && isnan(r.p) && isnan(r.lo) && isnan(r.sd));
    r = st_tci(nothing, 3, 4.0, .95);
    STATUS(r.status, ST_DEGENERATE);
    cr_assert(r.mean == 0.0 && isnan(r.t) && isnan(r.p) && isnan(r.hi));
    STATUS(st_tci(bad, 3, 0, .95).status, ST_NONFINITE_INPUT);
    STATUS(st_tci(inf, 3, 0, .95).status, ST_NONFINITE_INPUT);
    STATUS(st_tci(big, 3, 0, .95).status, ST_NONFINITE_INPUT);
    STATUS(st_tci(nothing, 3, 0, 0.0).status, ST_BAD_ARG);
    STATUS(st_tci(nothing, 3, 0, 1.0).status, ST_BAD_ARG);
    STATUS(st_tci(nothing, 3, 0, NAN).status, ST_BAD_ARG);
    STATUS(st_tci(NULL, 3, 0, .95).status, ST_BAD_ARG);
    double huge[3] = {1e100, -1e100, 5e99}, tiny[3] = {3e-320, 1e-320, 0};
    r = st_tci(huge, 3, 0, .95);
    STATUS(r.status, ST_OK);
    cr_assert(isfinite(r.lo) && isfinite(r.hi) && isfinite(r.p));
    STATUS(st_tci(tiny, 3, 0, .95).status, ST_DEGENERATE);
}

/* A constant difference of .05 has sd 1e-16 in doubles, t = 1e15 and "p = 0". */
Test(stats, constant_difference_is_not_significant) {
    double a[5] = {3.21, 3.47, 3.02, 3.33, 3.18}, b[5], d[5];
    for (int i = 0; i < 5; i++) {
        b[i] = a[i] + 0.05;
        d[i] = a[i] - b[i];
    }
    StTci r = st_tci(d, 5, st_scale(a, b, 5), .95);
    STATUS(r.status, ST_DEGENERATE);
    NEAR(r.mean, -0.05, 1e-15);
    STATUS(st_effect(a, b, 5).status, ST_DEGENERATE);
    STATUS(st_tost(d, 5, st_scale(a, b, 5), -.1, .1, .05).status, ST_DEGENERATE);
    STATUS(st_pitman_morgan(a, b, 5).status, ST_DEGENERATE);
}

Test(stats, t_interval_properties) {
    double x[5], y[5], d[5];
    differences(d);
    for (int i = 0; i < 5; i++) {
        x[i] = -d[4 - i];   /* arms swapped, seeds reversed */
        y[i] = 1024 * d[i]; /* unit changed by a power of two */
    }
    StTci r = st_tci(d, 5, 2.1, .95), s = st_tci(x, 5, 2.1, .95), u = st_tci(y, 5, 2150.4, .95);
    NEAR(s.lo, -r.hi, 1e-15);
    NEAR(s.p, r.p, 1e-15);
    cr_assert(u.lo == 1024 * r.lo && u.hi == 1024 * r.hi && u.p == r.p);
    double shuffled[5] = {d[3], d[0], d[4], d[2], d[1]};
    StTci v = st_tci(shuffled, 5, 2.1, .95);
    cr_assert(v.mean == r.mean && v.sd == r.sd && v.p == r.p, "seed order must not matter");
    cr_assert(st_tci(d, 5, 2.1, .99).hi > r.hi);
}

Test(stats, pairs_by_seed) {
    StRun a[3] = {{7, 1.0, ST_RUN_OK}, {2, 2.0, ST_RUN_OK}, {5, 3.0, ST_RUN_OK}};
    StRun b[3] = {{5, 2.5, ST_RUN_OK}, {7, 1.5, ST_RUN_OK}, {2, 2.25, ST_RUN_OK}};
    StPairs p = st_pair(a, 3, b, 3, NAN);
    STATUS(p.status, ST_OK);
    cr_assert(p.n == 3 && p.seed[0] == 2 && p.seed[1] == 5 && p.seed[2] == 7);
    cr_assert(p.d[0] == -0.25 && p.d[1] == 0.5 && p.d[2] == -0.5 && p.scale == 3.0);
    cr_assert(p.a[2] == 1.0 && p.b[2] == 1.5 && p.lost_a == 0 && p.lost_b == 0);
    st_pairs_release(&p);
    cr_assert_null(p.seed);
}

Test(stats, divergence_is_data) {
    const double cap = log(65.0);
    StRun a[5], b[5];
    for (int i = 0; i < 5; i++) {
        a[i] = (StRun){(uint64_t)i, arm_a[i] - 0.05, ST_RUN_OK};
        b[i] = (StRun){(uint64_t)i, arm_b[i] + 0.05, ST_RUN_OK};
    }
    b[1] = (StRun){1, NAN, ST_RUN_DIVERGED};
    a[3] = (StRun){3, 1e300, ST_RUN_DIVERGED};
    b[3] = (StRun){3, INFINITY, ST_RUN_DIVERGED};
    StPairs p = st_pair(a, 5, b, 5, cap);
    STATUS(p.status, ST_OK);
    cr_assert(p.lost_a == 1 && p.lost_b == 2 && p.only_a == 0 && p.only_b == 1 && p.n == 5);
    cr_assert(p.b[1] == cap && p.d[3] == 0.0 && p.lost[1] == 2 && p.lost[3] == 3 && p.lost[0] == 0);
    double rank[5]; /* |d|: .17, inf, .22, 0, .27 */
    STATUS(st_pairs_ranks(&p, rank), ST_OK);
    cr_assert(rank[0] == -1 && rank[1] == -4 && rank[2] == -2 && rank[3] == 0 && rank[4] == -3);
    st_pairs_release(&p);
    STATUS(st_pairs_ranks(&p, rank), ST_BAD_ARG);
    STATUS((p = st_pair(a, 5, b, 5, NAN)).status, ST_BAD_ARG);
    cr_assert(p.fault == ST_PAIR_NO_CAP && p.fault_seed == 3);
    a[1] = (StRun){1, 0, ST_RUN_DIVERGED}; /* now A is the only one lost at seed 4 */
    a[4] = (StRun){4, 0, ST_RUN_DIVERGED};
    p = st_pair(a, 5, b, 5, cap);
    STATUS(st_pairs_ranks(&p, rank), ST_OK);
    cr_assert(rank[0] == -1 && rank[1] == 0 && rank[2] == -2 && rank[3] == 0 && rank[4] == 3);
    cr_assert(p.only_a == 1 && p.only_b == 0 && p.lost[4] == 1);
    st_pairs_release(&p);
}

Test(stats, ties_of_ranks) {
    StRun a[4] = {{1, 2.2, 0}, {2, 2.9, 0}, {3, 1.0, 0}, {4, 1.5, 0}};
    StRun b[4] = {{1, 2.1, 0}, {2, 3.0, 0}, {3, 1.0, 0}, {4, 1.0, 0}};
    LOCAL(st_pairs_release) StPairs p = st_pair(a, 4, b, 4, NAN);
    double rank[4];
    STATUS(st_pairs_ranks(&p, rank), ST_OK);
    cr_assert(rank[0] == 1.5 && rank[1] == -1.5 && rank[2] == 0 && rank[3] == 3);
}

Test(stats, pairing_refuses) {
    StRun a[3] = {{1, 1, 0}, {2, 2, 0}, {3, 3, 0}}, b[3] = {{1, 1, 0}, {2, 2, 0}, {4, 3, 0}};
    StPairs p = st_pair(a, 3, b, 3, NAN);
    STATUS(p.status, ST_BAD_ARG);
    cr_assert(p.fault == ST_PAIR_UNMATCHED && p.fault_seed == 3 && p.n == 0);
    p = st_pair(a, 3, b, 2, NAN);
    cr_assert(p.fault == ST_PAIR_UNMATCHED && p.fault_seed == 3);
    p = st_pair(a, 2, b, 3, NAN);
    cr_assert(p.fault == ST_PAIR_UNMATCHED && p.fault_seed == 4);
    p = st_pair(NULL, 0, b, 3, NAN);
    cr_assert(p.fault == ST_PAIR_UNMATCHED && p.fault_seed == 1);
    StRun c[2] = {{1, 1, 0}, {3, 1, 0}};
    p = st_pair(c, 2, a, 3, NAN);
    cr_assert(p.fault == ST_PAIR_UNMATCHED && p.fault_seed == 2);
    StRun twice[3] = {{1, 1, 0}, {2, 2, 0}, {2, 3, 0}};
    p = st_pair(a, 3, twice, 3, NAN);
    cr_assert(p.fault == ST_PAIR_DUPLICATE && p.fault_seed == 2);
    a[0].state = ST_RUN_FAILED;
    p = st_pair(a, 3, b, 3, 4.0);
    cr_assert(p.fault == ST_PAIR_FAILED && p.fault_seed == 1 && p.status == ST_BAD_ARG);
    a[0] = (StRun){1, NAN, ST_RUN_OK};
    p = st_pair(a, 3, b, 3, 4.0);
    cr_assert(p.fault == ST_PAIR_NONFINITE && p.status == ST_NONFINITE_INPUT);
    STATUS(st_pair(NULL, 2, b, 2, 0).status, ST_BAD_ARG);
    STATUS(st_pair(b, 2, NULL, 2, 0).status, ST_BAD_ARG);
    STATUS(st_pair(NULL, 0, NULL, 0, 0).status, ST_N_TOO_SMALL);
}

Test(stats, effect_sizes) {
    StEffect r = st_effect(arm_a, arm_b, 5);
    STATUS(r.status, ST_OK);
    NEAR(r.d_z, -0.066 / 0.08561541917201608, 1e-13);
    NEAR(r.j, 0.7978845608028653, 1e-14); /* Gamma(2)/(sqrt 2 Gamma(3/2)) = sqrt(2/pi) */
    NEAR(r.g_z, r.j * r.d_z, 1e-16);
    NEAR(r.median, -0.07, 1e-15);
    cr_assert(r.better == 0.8);
    NEAR(r.ratio, exp(-0.066), 1e-15);
    NEAR(r.vr * r.sd * r.sd, 0.02543 + 0.00567, 1e-12); /* variances of the arms, by hand */
    NEAR(r.r, 0.999, 0.1);
    double tie[4] = {1, 1, 1, 2}, ref[4] = {2, 1, 2, 1};
    cr_assert(st_effect(tie, ref, 4).better == 0.625);
    r = st_effect((double[]){-1, 1}, NULL, 2);
    STATUS(r.status, ST_OK);
    cr_assert(isnan(r.j) && isnan(r.g_z) && isnan(r.vr) && r.d_z == 0);
    r = st_effect((double[]){800, 801, 802}, NULL, 3);
    cr_assert(isnan(r.ratio) && isfinite(r.d_z));
    NEAR(r.j, 0.5641895835477563, 1e-14); /* 1/sqrt(pi) */
}

Test(stats, effect_says_when_pairing_hurts) {
    double a[4] = {1, 2, 3, 4}, b[4] = {4, 3, 2, 1};
    StEffect r = st_effect(a, b, 4);
    NEAR(r.r, -1.0, 1e-15);
    NEAR(r.vr, 0.5, 1e-15);
    double flat[4] = {2, 2, 2, 2};
    r = st_effect(a, flat, 4);
    cr_assert(isnan(r.r) && isnan(st_effect(flat, a, 4).r));
    NEAR(r.vr, 1.0, 1e-15);
}

Test(stats, effect_refuses) {
    double nan_in[2] = {1, NAN}, ok[2] = {1, 2};
    STATUS(st_effect(NULL, NULL, 0).status, ST_N_TOO_SMALL);
    STATUS(st_effect(NULL, ok, 2).status, ST_BAD_ARG);
    STATUS(st_effect(nan_in, ok, 2).status, ST_NONFINITE_INPUT);
    STATUS(st_effect(ok, nan_in, 2).status, ST_NONFINITE_INPUT);
    StEffect r = st_effect(ok, nan_in, 1);
    STATUS(r.status, ST_N_TOO_SMALL);
    cr_assert(r.mean == 0.0 && r.better == 0.5 && r.ratio == 1.0 && isnan(r.d_z));
    r = st_effect(ok, ok, 2);
    STATUS(r.status, ST_DEGENERATE);
    cr_assert(r.mean == 0.0 && isnan(r.d_z) && isnan(r.sd) && isnan(r.vr));
    NEAR(r.r, 1.0, 1e-15);
}

Test(stats, interquartile_mean) {
    double eight[8] = {50, 1, 2, 3, 4, 5, 6, 7}, five[5] = {5, 1, 4, 100, 2}, three[3] = {3, 1, 2};
    StIqm r = st_iqm(eight, 8); /* scipy trim_mean(x, .25) */
    cr_assert(r.value == 4.5 && r.cut == 2);
    r = st_iqm(five, 5);
    NEAR(r.value, 11.0 / 3.0, 1e-15);
    cr_assert(r.cut == 1);
    r = st_iqm(three, 3);
    cr_assert(r.value == 2.0 && r.cut == 0);
    STATUS(st_iqm(three, 0).status, ST_N_TOO_SMALL);
    STATUS(st_iqm((double[]){NAN}, 1).status, ST_NONFINITE_INPUT);
}

Test(stats, equivalence) {
    double d[5];
    differences(d);
    StTost r = st_tost(d, 5, 2.1, -0.15, 0.15, 0.05);
    STATUS(r.status, ST_OK); /* scipy t.sf, t.cdf */
    NEAR(r.p_lower, 0.04664377479131075, 1e-13);
    NEAR(r.p_upper, 0.0024303363964641713, 1e-13);
    cr_assert(r.p == r.p_lower && r.equivalent && r.ci_lo > -0.15 && r.ci_hi < 0.15);
    r = st_tost(d, 5, 2.1, -0.14, 0.14, 0.05);
    cr_assert(!r.equivalent && r.ci_lo < -0.14 && r.p > 0.05);
    STATUS(st_tost(d, 5, 2.1, 0.1, 0.1, .05).status, ST_BAD_ARG);
    STATUS(st_tost(d, 5, 2.1, -INFINITY, 0.1, .05).status, ST_BAD_ARG);
    STATUS(st_tost(d, 5, 2.1, -1, INFINITY, .05).status, ST_BAD_ARG);
    STATUS(st_tost(d, 5, 2.1, -1, 1, .5).status, ST_BAD_ARG);
    STATUS(st_tost(d, 5, 2.1, -1, 1, 0).status, ST_BAD_ARG);
    STATUS(st_tost(d, 1, 2.1, -1, 1, .05).status, ST_N_TOO_SMALL);
}

/* The room for one more run, found from outside: with it just inside st_tost still finds equivalence, and no longer
 * just outside. */
Test(stats, equivalence_that_one_more_run_undoes) {
    double d[9] = {.001, -.004, .003, .002, -.001, .0, -.003, .004}, mean = .002 / 8;
    double room = st_tost_room(d, 8, 0, -.02, .02, .05);
    cr_assert(room > .03 && room < .1, "%g", room);
    int still = 0;
    for (int side = -1; side <= 1; side += 2) {
        d[8] = mean + side * room * .9999;
        cr_assert(st_tost(d, 9, 0, -.02, .02, .05).equivalent);
        d[8] = mean + side * room * 1.0001;
        still += st_tost(d, 9, 0, -.02, .02, .05).equivalent;
    }
    cr_assert(still == 1, "the nearer side undoes it: %d", still);
    cr_assert(isnan(st_tost_room(d, 8, 0, -.001, .001, .05)), "not equivalent");
    cr_assert(isnan(st_tost_room(d, 1, 0, -.02, .02, .05)));
}

Test(stats, interval_of_a_pilot_sd) {
    StInterval r = st_sd_ci(0.08561541917201608, 5, 0.95); /* scipy chi2.ppf */
    NEAR(r.lo, 0.0512950348468153, 1e-12);
    NEAR(r.hi, 0.24602067012571516, 1e-12);
    STATUS(st_sd_ci(1, 1, .95).status, ST_N_TOO_SMALL);
    STATUS(st_sd_ci(0, 5, .95).status, ST_BAD_ARG);
    STATUS(st_sd_ci(NAN, 5, .95).status, ST_BAD_ARG);
    STATUS(st_sd_ci(1e101, 5, .95).status, ST_BAD_ARG);
    STATUS(st_sd_ci(1, 5, 1).status, ST_BAD_ARG);
    STATUS(st_sd_ci(1, 5, 0).status, ST_BAD_ARG);
}

/* With two variances it is the interval of Welch's test. Degrees of freedom: two examples of Welch's test with means of
 * 15 and 15 values and of 10 and 20 (24.9 and 9.9 from the rounded variances); the whole interval: the unpaired
 * comparison of Cushny and Peebles' sleep data, as R prints it for its example of t.test (df 17.776, -3.3654832 to
 * 0.2054832). */
Test(stats, prediction_of_an_earlier_estimate) {
    static const double drug[2][10] = {{.7, -1.6, -.2, -1.2, -.1, 3.4, 3.7, .8, 0, 2},
                                       {1.9, .8, 1.1, .1, -.1, 4.4, 5.5, 1.6, 4.6, 3.4}};
    StVarianceOf part[2];
    double mean = 0;
    for (int i = 0; i < 2; i++) {
        StTci t = st_tci(drug[i], 10, 6, .95);
        part[i] = (StVarianceOf){t.se * t.se, 9};
        mean += i ? -t.mean : t.mean;
    }
    StPrediction r = st_prediction(mean, part, 2, .95);
    STATUS(r.status, ST_OK);
    NEAR(r.df, 17.776, 5e-4);
    NEAR(r.lo, -3.3654832, 5e-8);
    NEAR(r.hi, .2054832, 5e-8);
    NEAR(st_prediction(0, (StVarianceOf[]){{7.9 / 15, 14}, {3.8 / 15, 14}}, 2, .95).df, 24.9, .05);
    NEAR(st_prediction(0, (StVarianceOf[]){{9.0 / 10, 9}, {.9 / 20, 19}}, 2, .95).df, 9.9, .05);
    StTci alone = st_tci(sleep_gain, 10, 6, .95);
    r = st_prediction(alone.mean, &(StVarianceOf){alone.se * alone.se, 9}, 1, .95);
    NEAR(r.lo, alone.lo, 1e-12);
    NEAR(r.hi, alone.hi, 1e-12);
    STATUS(st_prediction(0, part, 0, .95).status, ST_BAD_ARG);
    STATUS(st_prediction(0, part, 2, 1).status, ST_BAD_ARG);
    STATUS(st_prediction(0, part, 2, 0).status, ST_BAD_ARG);
    STATUS(st_prediction(0, &(StVarianceOf){-1, 3}, 1, .95).status, ST_BAD_ARG);
    STATUS(st_prediction(0, &(StVarianceOf){1, 0}, 1, .95).status, ST_BAD_ARG);
    STATUS(st_prediction(0, &(StVarianceOf){NAN, 3}, 1, .95).status, ST_BAD_ARG);
    STATUS(st_prediction(0, &(StVarianceOf){0, 3}, 1, .95).status, ST_DEGENERATE);
    STATUS(st_prediction(NAN, part, 2, .95).status, ST_NONFINITE_INPUT);
    STATUS(st_prediction(0, &(StVarianceOf){INFINITY, 3}, 1, .95).status, ST_NONFINITE_INPUT);
    cr_assert(isnan(st_prediction(0, part, 0, .95).lo));
}
