/* Logistic regression, Akaike's criterion, growth with depth. Reference values: statsmodels 0.14 GLM, scipy 1.17.1
 * (linregress, minimize), on the data shown. */
#include "stats/predictors.h"
#include "stats/regress.h"
#include "stats/ridge.h"
#include "tests/stats/test_stats.h"

TestSuite(stats_regress, .init = st_init);

static const double hours[20] = {.5,   .75, 1,    1.25, 1.5, 1.75, 1.75, 2,    2.25, 2.5,
                                 2.75, 3,   3.25, 3.5,  4,   4.25, 4.5,  4.75, 5,    5.5};
static const unsigned char pass[20] = {0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 1, 1, 1, 1, 1};

Test(stats_regress, logistic_published) {
    StLogistic r = st_logistic(hours, pass, 20, 1, NULL); /* the hours-of-study example; statsmodels GLM */
    STATUS(r.status, ST_OK);
    NEAR(r.deviance, 16.059756928689346, 1e-10);
    double x[40];
    for (int i = 0; i < 20; i++) {
        x[2 * i] = hours[i];
        x[2 * i + 1] = sin(7 * hours[i]);
    }
    r = st_logistic(x, pass, 20, 2, NULL);
    NEAR(r.deviance, 16.05401571188867, 1e-9);
    for (int i = 0; i < 20; i++) x[i] = 1e6 + 1e3 * hours[i]; /* far from zero, another unit: the same fit */
    r = st_logistic(x, pass, 20, 1, NULL);
    NEAR(r.deviance, 16.059756928689346, 1e-8);
}

/* Full Newton steps throw the deviance from 7.19 to 73.6 here; the optimum is scipy's Nelder-Mead.
 */
Test(stats_regress, logistic_overshoots_safely) {
    const double x[20] = {24, 0, 2, 1, 0, 0, -40, 51, 1, -223, 1, -1, -1, 0, -1, 0, 1, 90, 1, 0};
    const unsigned char y[10] = {0, 0, 0, 1, 1, 1, 1, 0, 0, 0};
    StLogistic r = st_logistic(x, y, 10, 2, NULL);
    STATUS(r.status, ST_OK);
    NEAR(r.deviance, 6.686420527545505, 1e-9);
    cr_assert(!r.separated);
}

Test(stats_regress, logistic_says_when_separated) {
    const double x[6] = {1, 2, 3, 4, 5, 6};
    const unsigned char split[6] = {0, 0, 0, 1, 1, 1}, ones[6] = {1, 1, 1, 1, 1, 1};
    StLogistic r = st_logistic(x, split, 6, 1, NULL);
    STATUS(r.status, ST_DEGENERATE);
    cr_assert(r.separated);
    NEAR(r.deviance, 0, 1e-9);
    r = st_logistic(x, ones, 6, 1, NULL);
    cr_assert(r.separated);
    NEAR(r.deviance, 0, 1e-9);
    const double quasi[6] = {1, 2, 3, 3, 4, 5}; /* touching at 3: the limit keeps one coin flip per tie */
    r = st_logistic(quasi, split, 6, 1, NULL);
    cr_assert(r.separated);
    NEAR(r.deviance, 4 * log(2), 1e-8);
    const double far[8] = {-100, -90, -1, 1, -1.5, 1.5, 90, 100}; /* far points, no split */
    const unsigned char mixed[8] = {0, 0, 1, 0, 0, 1, 1, 1};
    r = st_logistic(far, mixed, 8, 1, NULL);
    STATUS(r.status, ST_OK);
    cr_assert(!r.separated);
}

Test(stats_regress, logistic_refuses) {
    const double x[6] = {1, 2, 3, 4, 5, 6}, flat[4] = {2, 2, 2, 2}, twice[8] = {1, 2, 2, 4, 5, 10, 3, 6};
    const unsigned char y[6] = {0, 1, 0, 1, 0, 1}, wrong[4] = {0, 1, 2, 0};
    StLogistic r = st_logistic(flat, y, 4, 1, NULL);
    STATUS(r.status, ST_DEGENERATE);
    cr_assert(!r.separated && isnan(r.deviance));
    r = st_logistic(twice, y, 4, 2, NULL);
    STATUS(r.status, ST_DEGENERATE);
    cr_assert(!r.separated && isnan(r.deviance));
    STATUS(st_logistic(x, y, 2, 1, NULL).status, ST_N_TOO_SMALL);
    STATUS(st_logistic(x, wrong, 4, 1, NULL).status, ST_BAD_ARG);
    STATUS(st_logistic(x, y, 6, 0, NULL).status, ST_BAD_ARG);
    STATUS(st_logistic(x, y, 6, 1001, NULL).status, ST_BAD_ARG);
    STATUS(st_logistic(x, y, SIZE_MAX, 1, NULL).status, ST_BAD_ARG);
    STATUS(st_logistic(NULL, y, 6, 1, NULL).status, ST_BAD_ARG);
    STATUS(st_logistic(x, NULL, 6, 1, NULL).status, ST_BAD_ARG);
    STATUS(st_logistic((double[]){1, 2, NAN}, y, 3, 1, NULL).status, ST_NONFINITE_INPUT);
}

Test(stats_regress, growth) {
    const double l[8] = {1, 2, 3, 4, 5, 6, 7, 8}, y[8] = {1.1, 1.9, 3.2, 3.9, 5.1, 5.8, 7.2, 7.9};
    StGrowth r = st_growth(l, y, 8); /* scipy minimize on (c, d); linregress of log y */
    STATUS(r.status, ST_OK);
    NEAR(r.rss_lin, 0.012846600405235636, 1e-12);
    NEAR(r.growth, 7.376567907964071, 1e-5);
    NEAR(r.rate, 0.26802844127099273, 1e-13);
    NEAR(r.rss_exp, 0.23966408753153554, 1e-13);
    NEAR(r.delta, 23.409272729736816, 1e-8);
    double grown[8], down[8];
    for (int i = 0; i < 8; i++) {
        grown[i] = exp(.4 * l[i]) * (1 + (i % 2 ? .02 : -.02));
        down[i] = 1 / y[i];
    }
    r = st_growth(l, grown, 8);
    cr_assert(r.delta < -5);
    NEAR(r.rate, .4, .01);
    r = st_growth(l, down, 8);
    STATUS(r.status, ST_OK);
    NEAR(r.rate, -0.26802844127099273, 1e-13);
    const double powers[4] = {1, 2, 4, 8}; /* exact the other way */
    r = st_growth(l, powers, 4);
    cr_assert(r.status == ST_OK && r.delta < -50 && isfinite(r.delta));
    const double line[4] = {2, 4, 6, 8}; /* exact: delta stays finite */
    r = st_growth(l, line, 4);
    cr_assert(isfinite(r.delta) && r.delta > 50 && r.status == ST_OK);
    NEAR(r.growth, 4, 1e-6);
}

/* Each law's own data, exactly: its fit is the best by far, has the constants that made them, and gives them back. */
Test(stats_regress, growth_laws_of_exact_data) {
    double x[12], y[3][12];
    for (int i = 0; i < 12; i++) {
        x[i] = i + 1;
        y[ST_LAW_LINEAR][i] = 0.5 + 0.25 * x[i];
        y[ST_LAW_EXPONENTIAL][i] = 0.3 * exp(0.4 * x[i]);
        y[ST_LAW_POWER][i] = 2 * pow(x[i], 1.7);
    }
    for (int law = 0; law < 3; law++) {
        StGrowth r = st_growth(x, y[law], 12);
        STATUS(r.status, ST_OK);
        const double aic[3] = {r.aic_lin, r.aic_exp, r.aic_pow};
        for (int other = 0; other < 3; other++)
            cr_assert(other == law || aic[law] < aic[other] - 100, "law %d: %g against %g of %d", law, aic[law],
                      aic[other], other);
        for (int i = 0; i < 12; i++) NEAR(st_growth_at(&r, (StLaw)law, x[i]) / y[law][i], 1, 1e-6);
        if (law == ST_LAW_LINEAR) NEAR(r.growth, 3.5 / 0.75, 1e-6);
        if (law == ST_LAW_EXPONENTIAL) NEAR(r.rate, 0.4, 1e-12);
        if (law == ST_LAW_POWER) NEAR(r.power, 1.7, 1e-12);
    }
    for (int i = 0; i < 12; i++) x[i] -= 1;
    StGrowth r = st_growth(x, y[ST_LAW_EXPONENTIAL], 12);
    cr_assert(r.status == ST_OK && isnan(r.power) && isnan(r.aic_pow) && r.delta < -100, "no power law through x = 0");
}

Test(stats_regress, growth_refuses) {
    const double l[4] = {1, 2, 3, 4}, flat[4] = {.7, .7, .7, .7}, bad[4] = {1, 0, 2, 3};
    StGrowth r = st_growth(l, flat, 4);
    STATUS(r.status, ST_DEGENERATE);
    cr_assert(isnan(r.rss_exp) && isnan(r.delta));
    STATUS(st_growth(flat, l, 4).status, ST_DEGENERATE);
    STATUS(st_growth(l, bad, 4).status, ST_BAD_ARG);
    STATUS(st_growth(l, l, 2).status, ST_N_TOO_SMALL);
    STATUS(st_growth(NULL, l, 4).status, ST_BAD_ARG);
    STATUS(st_growth(l, NULL, 4).status, ST_BAD_ARG);
    STATUS(st_growth((double[]){1, NAN, 2}, l, 3).status, ST_NONFINITE_INPUT);
    STATUS(st_growth(l, (double[]){1, INFINITY, 2}, 3).status, ST_NONFINITE_INPUT);
    const double jump[4] = {1e-90, 1, 1, 1}; /* beyond the grid of growths: its edge */
    r = st_growth(l, jump, 4);
    STATUS(r.status, ST_OK);
    cr_assert(isfinite(r.delta));
}

/* Each observation's part: with one predictor of two values the fitted chances are the shares at either, by hand. */
Test(stats_regress, logistic_parts_add_up) {
    const double x[8] = {0, 0, 0, 0, 1, 1, 1, 1};
    const unsigned char y[8] = {1, 0, 0, 0, 1, 1, 1, 0};
    double each[8], sum = 0;
    StLogistic r = st_logistic(x, y, 8, 1, each);
    for (int i = 0; i < 8; i++) {
        NEAR(each[i], -2 * log((i < 4) == !y[i] ? .75 : .25), 1e-9);
        sum += each[i];
    }
    NEAR(sum, r.deviance, 1e-12);
}

/* Four seeds of four runs. By the second number the chances are the shares at its two values, 7/8 and 1/8, one seed of
 * each kind of miss; the first has no spread and leaves the null deviance, 32 ln 2. */
Test(stats_regress, predictors_by_hand) {
    const double flat[16] = {5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5};
    const double two[16] = {1, 1, 9, 9, 1, 1, 9, 9, 1, 1, 9, 9, 1, 1, 9, 9};
    const unsigned char y[16] = {0, 0, 1, 1, 0, 0, 1, 1, 0, 1, 1, 1, 0, 0, 0, 1};
    const StKey key = {1, 2};
    StPredictors r = st_predictors(flat, two, y, 4, 4, .8, key);
    STATUS(r.status, ST_OK);
    cr_expect(r.runs == 16 && r.failed == 8);
    NEAR(r.null_deviance, 32 * log(2), 1e-12);
    NEAR(r.deviance[0], 32 * log(2), 1e-12);
    NEAR(r.deviance[1], -28 * log(.875) - 4 * log(.125), 1e-9);
    NEAR(r.difference, r.deviance[1] - r.deviance[0], 1e-12);
    cr_expect_eq(r.p, 2.0 / 16); /* also the seeds with a miss are explained better: 8 ln 2 before, 4.96 now */
    cr_expect_eq(r.p_min, 2.0 / 16);
    /* Two seeds without a miss and two with one: the interval at 1 - 2 * 2/16 ends at their sums, four times. */
    double fine = -8 * log(.875) - 8 * log(2), miss = -6 * log(.875) - 2 * log(.125) - 8 * log(2);
    NEAR(r.lo, 4 * fine, 1e-9);
    NEAR(r.hi, 4 * miss, 1e-9);
    cr_expect(isinf(st_predictors(flat, two, y, 4, 4, .9, key).lo), "4 seeds cannot reach .1");
    StPredictors turned = st_predictors(two, flat, y, 4, 4, .8, key);
    NEAR(turned.difference, -r.difference, 1e-12);
    cr_expect_eq(turned.p, r.p);
    double bent[16]; /* ranks: a scale and a bend change nothing */
    for (int i = 0; i < 16; i++) bent[i] = -exp(20 * two[i]);
    NEAR(st_predictors(flat, bent, y, 4, 4, .8, key).deviance[1], r.deviance[1], 1e-9);
}

Test(stats_regress, predictors_at_the_ends) {
    const double a[6] = {1, 2, 3, 4, 5, 6}, b[6] = {2, 1, 3, 6, 5, 4}, c[6] = {1, 5, 2, 6, 3, 4};
    const unsigned char split[6] = {0, 0, 0, 1, 1, 1}, none[6] = {0}, all[6] = {1, 1, 1, 1, 1, 1};
    const StKey key = {1, 2};
    StPredictors r = st_predictors(a, b, split, 3, 2, .8, key);
    STATUS(r.status, ST_OK);
    cr_expect(r.separated[0] && r.separated[1] && r.difference == 0 && r.p == 1, "both split them: p = %g", r.p);
    r = st_predictors(c, a, split, 3, 2, .8, key);
    cr_expect(!r.separated[0] && r.separated[1] && r.deviance[1] == 0 && r.difference < 0);
    cr_expect_eq(r.p, 2.0 / 8);
    r = st_predictors(a, c, none, 3, 2, .8, key);
    cr_expect(r.status == ST_OK && !r.failed && r.difference == 0 && r.null_deviance == 0 && r.p == 1);
    r = st_predictors(a, c, all, 3, 2, .8, key);
    cr_expect(r.status == ST_OK && r.failed == 6 && r.difference == 0 && r.p == 1);
    STATUS(st_predictors(a, c, all, 1, 2, .8, key).status, ST_N_TOO_SMALL);
    STATUS(st_predictors((double[]){1, 2, NAN, 4, 5, 6}, c, split, 3, 2, .8, key).status, ST_NONFINITE_INPUT);
}

/* Two numbers that tell as much of the outcome, each with noise of its own: p is below .05 in about one sample of 20.
 */
Test(stats_regress, predictors_keep_their_level) {
    enum { SAMPLES = 1000, SEEDS = 8, RUNS = 12, N = SEEDS * RUNS };
    LOCAL(rng_release) gsl_rng *rng = st_rng_new((StKey){3, 4});
    int found = 0;
    for (int i = 0; i < SAMPLES; i++) {
        double x[2][N];
        unsigned char y[N];
        for (int j = 0; j < N; j++) {
            double cause = j % RUNS - 5.5 + 4 * gsl_rng_uniform(rng);
            y[j] = cause > 2;
            for (int k = 0; k < 2; k++) x[k][j] = cause + 8 * gsl_rng_uniform(rng);
        }
        found += st_predictors(x[0], x[1], y, SEEDS, RUNS, .95, (StKey){5, 6}).p < .05;
    }
    cr_expect(found > .02 * SAMPLES && found < .075 * SAMPLES, "%d of %d", found, SAMPLES);
}

/* Three observations on a plane, by hand: m = (1, 1), S = [[2, 1], [1, 2]], tr S / d = 2, c_1 = (1, 1) of the third,
 * (2, 2). lambda = 1/2 adds 1 to the diagonal: w_1 = [[3, 1], [1, 3]]^-1 (1, 1) = (1/4, 1/4), and w_0 = -w_1. */
Test(stats_regress, ridge_by_hand) {
    const double x[3][2] = {{0, 1}, {1, 0}, {2, 2}}, at[2] = {3, 1}, scaled[2] = {3e6, 1e6};
    for (int unit = 0; unit < 2; unit++) {
        StRidge *r = st_ridge_new(2, 2);
        for (int i = 0; i < 3; i++) {
            const double y[2] = {x[i][0] * (unit ? 1e6 : 1), x[i][1] * (unit ? 1e6 : 1)};
            st_ridge_add(r, y, i == 2);
        }
        double score;
        STATUS(st_ridge_fit(r, .5), ST_OK);
        cr_expect_eq(st_ridge_class(r, unit ? scaled : at, &score), 1u);
        NEAR(score, 1. / 3 + 2. / 4, 1e-14); /* (3 - 1, 1 - 1) . w_1, whatever the unit */
        st_ridge_free(r);
    }
}

Test(stats_regress, ridge_refuses) {
    const double flat[2] = {3, 3}, bad[2] = {NAN, 1};
    StRidge *r = st_ridge_new(2, 3);
    st_ridge_add(r, flat, 0);
    STATUS(st_ridge_fit(r, 0), ST_BAD_ARG);
    STATUS(st_ridge_fit(r, 1), ST_N_TOO_SMALL);
    st_ridge_add(r, flat, 1), st_ridge_add(r, flat, 2);
    STATUS(st_ridge_fit(r, 1), ST_DEGENERATE);
    st_ridge_free(r);
    r = st_ridge_new(2, 2);
    st_ridge_add(r, flat, 0), st_ridge_add(r, bad, 1);
    STATUS(st_ridge_fit(r, 1), ST_NONFINITE_INPUT);
    st_ridge_free(r);
    cr_expect_null(st_ridge_new(0, 2));
    st_ridge_free(NULL);
}
